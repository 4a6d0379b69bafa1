import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// What a ``HotplugReader`` passes on.
enum HotplugEvent<Report: Sendable>: Sendable {
    /// A report of the device.
    case report(Report)
    /// The device is gone.
    case lost(RingerError, at: MonotonicTime)
    /// The device is back. Reports of its current state follow.
    case found(at: MonotonicTime)
}

/// Whether a device that cannot be opened at the start is waited for.
enum AwaitedDevice: Sendable {
    /// No: `start` throws.
    case no
    /// Yes, unless its name can never be right: `invalid`, `unsupported`.
    case unlessMisnamed
    /// Yes, whatever the reason.
    case always

    func includes(_ error: RingerError) -> Bool {
        switch self {
        case .no: false
        case .unlessMisnamed: error.code != .invalid && error.code != .unsupported
        case .always: true
        }
    }
}

/// Reads a device on the event loop, and opens it again after it was unplugged and plugged in.
///
/// It does not poll: it waits for the device's descriptor and, while the device is gone, for a change of its directory.
/// No directory changes when a device's bus fails; such a device is opened again after growing delays. Any thread may
/// use it: everything runs on the loop's, the closing of descriptors included, so that the device is closed when
/// ``close()`` returns.
// SAFETY: `state` is used on the loop's thread alone, without a lock: reading the switch is a system call. After the loop has
// ended, one thread at a time takes the place of its thread. What is called during an access does not use it, so that accesses
// do not overlap and need no check.
final class HotplugReader<Device: WatchedDevice & ~Copyable>: @unchecked Sendable {
    typealias Handler = @Sendable (HotplugEvent<Device.Report>) -> Void
    /// Watches a device that another program holds: calls its argument on the event loop's thread whenever the device may
    /// be free. Returns a function that ends watching, for the loop's thread.
    typealias ReleaseWatch = @Sendable (_ handler: @escaping @Sendable () -> Void) throws(RingerError) -> EndWatch
    typealias EndWatch = @Sendable () -> Void

    /// A handler. A generic function that returned the bare function would wrap it, at the price of an allocation.
    private struct Listener {
        let handle: Handler
    }

    private enum Phase {
        case idle, watching, closed
    }

    private struct State: ~Copyable {
        var phase = Phase.idle
        var device: Device?
        var deviceWatch: EventLoop.WatchedDescriptor?
        var directoryWatch: DirectoryWatch?
        /// Ends watching for the release of the device, which another program holds.
        var endReleaseWatch: EndWatch?
        var timer: (any DeviceTimer)?
        /// Whether there is a timer: to ask the timer itself takes more steps.
        var hasTimer = false
        var listener: Listener?
        /// The device was opened right after it had been lost, and has not been read since.
        var isDoubtful = false
        /// Without reports: their memory, which is used again.
        var reports: [Device.Report] = []
        /// ``readMore()`` is going to be called.
        var readsMore = false
        /// How often opening or reading the device failed since it was last read.
        var failures = 0
    }

    private let loop: EventLoop
    private let directory: FilePath
    private let awaited: AwaitedDevice
    private let releaseWatch: ReleaseWatch?
    private let open: @Sendable () throws(RingerError) -> Device
    @exclusivity(unchecked) private var state = State()
    private let newestName: Mutex<String>

    /// - Parameters:
    ///   - loop: The thread that the device is opened, read and closed on.
    ///   - name: The device's name until it is open.
    ///   - directory: Where the device's file comes and goes.
    ///   - awaited: Which devices to wait for when they cannot be opened at the start. Such a device is reported as lost,
    ///     and as found once it is open.
    ///   - releaseWatch: Watches for the release of a device whose opening failed as `busy`; nil if only a change of the
    ///     directory tries again.
    ///   - open: Opens the device.
    init(
        loop: EventLoop, name: String, directory: FilePath, awaited: AwaitedDevice = .no,
        releaseWatch: ReleaseWatch? = nil, open: @escaping @Sendable () throws(RingerError) -> Device
    ) {
        self.loop = loop
        self.directory = directory
        self.awaited = awaited
        self.releaseWatch = releaseWatch
        self.open = open
        newestName = Mutex(name)
    }

    /// The device's name, for people. It stays the same while the device is gone.
    var name: String { newestName.withLock { $0 } }

    /// Opens the device and reports its current state before it returns. An awaited device that cannot be opened is
    /// reported as lost.
    func start(_ handler: @escaping Handler) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in try self.begin(handler) }
    }

    /// Reads all that the device has, and reports it before it returns.
    func drain() {
        loop.sync {
            self.step { device, now, reports throws(RingerError) in
                while try device.read(isReady: false, now: now, into: &reports) {}
                return false
            }
        }
    }

    /// Closes and opens the device, and reports its state before it returns: for a device that may have missed changes.
    ///
    /// - Parameter news: Called with the device before it is closed. Returns what tells whether to report what is read then.
    func reopen(_ news: @escaping @Sendable (borrowing Device) -> (Device.Report) -> Bool) {
        loop.sync { self.openAnew(news) }
    }

    /// Runs `body` on the open device, and passes its reports on before it returns. The device stays open if `body` throws.
    ///
    /// - Throws: What `body` throws; `notFound` while the device is gone.
    func use(
        _ operation: String,
        _ body: @escaping @Sendable (inout Device, inout [Device.Report]) throws(RingerError) -> Void
    ) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in
            var failure: RingerError? = RingerError(.notFound, operation, self.name)
            self.step { device, _, reports in
                do throws(RingerError) {
                    try body(&device, &reports)
                    failure = nil
                } catch {
                    failure = error
                }
                return false
            }
            if let failure { throw failure }
        }
    }

    /// Closes the device. Waits for a running call of the handler, unless the handler itself calls this.
    func close() {
        loop.sync { self.tearDown() }
    }

    /// Closes the device without waiting: for a deinitialiser.
    func closeSoon() {
        loop.execute { self.tearDown() }
    }

    // MARK: - On the loop's thread

    private func begin(_ handler: @escaping Handler) throws(RingerError) {
        switch state.phase {
        case .idle: break
        case .watching: throw RingerError(.invalid, "watch", name, detail: "it is being watched already")
        case .closed: throw RingerError(.closed, "watch", name)
        }
        // Before the device is opened: otherwise its disappearance in between would go unnoticed.
        let inotify = try InotifyDescriptor(directory)
        var events: [HotplugEvent<Device.Report>] = []
        do throws(RingerError) {
            try adopt(open(), into: &events)
        } catch {
            guard awaited.includes(error) else { throw error }
            events.append(.lost(HardwareProblem.explain(error), at: loop.now))
        }
        let watch = ChangeWatch(inotify, loop: loop) { self.directoryChanged() }
        state.directoryWatch = watch
        state.listener = Listener(handle: handler)
        state.phase = .watching
        if case .lost(let error, _) = events.last { tryAgain(after: error) }
        report(events)
    }

    /// Reads the current state of `device` and watches it from then on. If that fails, the device is closed.
    private func adopt(
        _ device: consuming Device, into events: inout [HotplugEvent<Device.Report>]
    ) throws(RingerError) {
        var reports: [Device.Report] = []
        try device.begin(now: loop.now, into: &reports)
        events.append(contentsOf: reports.map(HotplugEvent.report))
        let name = device.name
        let watch = loop.watch(device.descriptor, for: Int16(POLLIN)) { ready in self.isReady(ready) }
        newestName.withLock { $0 = name }
        state.device = consume device
        state.deviceWatch = watch
        schedule()
        endReleaseWatch()
    }

    private func openAnew(_ news: (borrowing Device) -> (Device.Report) -> Bool) {
        guard state.phase == .watching, let device = state.device.take() else { return find(isDoubtful: false) }
        let isNews = news(device)
        endReading()
        _ = consume device
        var events: [HotplugEvent<Device.Report>] = []
        do throws(RingerError) {
            try adopt(open(), into: &events)
        } catch {
            report(.lost(error, at: loop.now))
            return tryAgain(after: error)
        }
        for event in events {
            if case .report(let content) = event, !isNews(content) { continue }
            report(event)
        }
    }

    private func isReady(_ ready: Int16) {
        step { device, now, reports throws(RingerError) in
            let mayHaveMore = try device.read(isReady: ready & Int16(POLLIN) != 0, now: now, into: &reports)
            // A descriptor in an error state whose reads succeed would wake the loop for ever.
            if ready & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                throw RingerError("read", device.name, .noDevice)
            }
            return mayHaveMore
        }
    }

    /// Reads what was left over: in part, if the device has more all the time, so that timers go on.
    private func readMore() {
        state.readsMore = false
        step { device, now, reports throws(RingerError) in
            for _ in 0..<64 {
                if try !device.read(isReady: false, now: now, into: &reports) { return false }
            }
            return true
        }
    }

    private func timerFired() {
        step { device, now, reports throws(RingerError) in
            try device.tick(now: now(), into: &reports)
            return false
        }
    }

    private func directoryChanged() {
        if state.device != nil {
            step { device, _, _ throws(RingerError) in
                if !device.isPresent { throw RingerError("read", device.name, .noDevice) }
                return false
            }
        } else {
            find(isDoubtful: false)
        }
    }

    /// Runs `body` on the open device and passes its reports on. If `body` returns that there may be more, reads that later,
    /// when those who got the reports had time to run; closes the device and reports it as lost if `body` throws.
    private func step(
        _ body: (inout Device, () -> MonotonicTime, inout [Device.Report]) throws(RingerError) -> Bool
    ) {
        if state.device == nil { return }
        var mayHaveMore = false
        var reports: [Device.Report] = []
        swap(&reports, &state.reports)
        let wasDoubtful = state.isDoubtful
        state.isDoubtful = false
        var failure: RingerError?
        do throws(RingerError) {
            // In its place: moving it out and back would copy its bytes. `body` does not close it.
            // swift-format-ignore: NeverForceUnwrap
            mayHaveMore = try body(&state.device!, { loop.now }, &reports)
            state.failures = 0
            schedule()
        } catch {
            failure = error
            endReading()
            state.device = nil
        }
        let isLarge = reports.count > 16
        if reports.count > 1 { reports.reverse() }
        // Each is moved out; removeAll(keepingCapacity:) takes more than a hundred instructions.
        while let content = reports.popLast() { report(.report(content)) }
        if isLarge { reports = [] }
        swap(&reports, &state.reports)
        if let failure { report(.lost(failure, at: loop.now)) }
        if mayHaveMore && !state.readsMore {
            state.readsMore = true
            loop.executeLater { self.readMore() }
        }
        guard let failure else { return }
        // The device may be back already, and its file will not change again: try at once. A device that failed right
        // after it was opened waits for the next change of its directory.
        if wasDoubtful { tryAgain(after: failure) } else { find(isDoubtful: true) }
    }

    /// Opens the device again later: once another program has released it; or if `error` is a failure of its bus, such as
    /// an I2C expander that did not acknowledge, or the release cannot be watched; then after 10 ms at first, twice as long each time, up to 10 s.
    private func tryAgain(after error: RingerError) {
        var error = error
        // Another program's device is watched; one that is gone cannot be.
        if error.code == .busy {
            do throws(RingerError) { try awaitRelease() } catch let failure { error = failure }
        } else {
            endReleaseWatch()
        }
        guard error.code == .system || error.code == .timedOut else { return }
        guard state.phase == .watching, state.device == nil else { return }
        state.failures += 1
        let delay = min(Duration.milliseconds(10) * (1 << min(state.failures - 1, 10)), .seconds(10))
        setTimer(loop.now + delay) { $0.find(isDoubtful: true) }
    }

    private func awaitRelease() throws(RingerError) {
        if state.phase != .watching || state.endReleaseWatch != nil { return }
        state.endReleaseWatch = try releaseWatch? {
            // The watch of a device that was removed would report it for ever.
            self.endReleaseWatch()
            self.find(isDoubtful: false)
        }
        if state.endReleaseWatch == nil { return }
        // It may have been released in between.
        loop.execute { self.find(isDoubtful: false) }
    }

    private func endReleaseWatch() {
        state.endReleaseWatch.take()?()
    }

    /// Opens the device if it is gone and its file is back.
    private func find(isDoubtful: Bool) {
        state.isDoubtful = isDoubtful
        guard state.phase == .watching, state.device == nil else { return }
        var events: [HotplugEvent<Device.Report>] = [.found(at: loop.now)]
        do throws(RingerError) {
            try adopt(open(), into: &events)
        } catch {
            // Not there or not permitted yet: the next change of the directory, or of the file's mode, tries again.
            tryAgain(after: error)
            return
        }
        report(events)
    }

    private func endReading() {
        state.deviceWatch?.cancel()
        state.deviceWatch = nil
        setTimer(nil) { _ in }
    }

    private func schedule() {
        setTimer(state.device?.deadline) { $0.timerFired() }
    }

    /// Sets the one timer; nil for none.
    private func setTimer(_ deadline: MonotonicTime?, _ body: @escaping @Sendable (HotplugReader) -> Void) {
        // At most edges there is none, and was none.
        if deadline == nil && !state.hasTimer { return }
        state.hasTimer = deadline != nil
        state.timer?.cancel()
        state.timer = deadline.map { loop.schedule(at: $0) { body(self) } }
    }

    private func report(_ events: [HotplugEvent<Device.Report>]) {
        for event in events { report(event) }
    }

    /// Calls the handler, which may call ``close()``.
    private func report(_ event: HotplugEvent<Device.Report>) {
        // It may end itself meanwhile.
        let listener = state.listener
        listener?.handle(event)
    }

    private func tearDown() {
        endReleaseWatch()
        endReading()
        state.phase = .closed
        state.listener = nil
        state.directoryWatch?.close()
        state.directoryWatch = nil
        state.device = nil
    }
}

extension HotplugReader where Device: ~Copyable, Device.Report == DeviceStateChange {
    /// Opens the device and reports its current state before it returns; afterwards its changes, its loss and its return.
    func startReporting(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try start { event in
            switch event {
            case .report(let change): handler(change)
            case .lost(let error, _): handler(.lost(error))
            case .found: handler(.found)
            }
        }
    }
}

extension SwitchEvent {
    init(_ event: HotplugEvent<SwitchEvent>) {
        switch event {
        case .report(let report): self = report
        case .lost(let error, let at): self = .lost(error, at: at)
        case .found(let at): self = .found(at: at)
        }
    }
}
