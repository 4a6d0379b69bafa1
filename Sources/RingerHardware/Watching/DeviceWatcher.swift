import Glibc
import RingerServices
import Synchronization
import SystemPackage

/// What a watched device does.
enum WatchEvent<Report: Sendable>: Sendable {
    /// It told something.
    case report(Report)
    /// It is gone.
    case lost(RingerError, at: MonotonicTime)
    /// It is back; what is so now follows.
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

/// Watches a device on the event loop, and finds it again when it was unplugged and plugged.
///
/// Nothing polls: the device's descriptor reports what happens, and a change of its directory when to look for it again. A
/// device that is there and cannot be read because its bus failed, which no directory shows, is tried again ever more
/// slowly. Everything, the closing of descriptors included, happens on the loop's thread, so that the kernel has let go
/// of the device when ``close()`` returns.
final class DeviceWatcher<Source: DeviceSource & ~Copyable>: Sendable {
    typealias Handler = @Sendable (WatchEvent<Source.Report>) -> Void

    private enum Phase {
        case idle, watching, closed
    }

    private struct State: ~Copyable {
        var phase = Phase.idle
        var name: String
        var source: Source?
        var notifier: DirectoryNotifier?
        var sourceWatch: EventLoop.WatchedDescriptor?
        var notifierWatch: EventLoop.WatchedDescriptor?
        var timer: (any DeviceTimer)?
        var handler: Handler?
        /// The device was found where it had just been lost, and has not been read since.
        var isDoubtful = false
        /// How often opening or reading it failed since it was last read.
        var failures = 0
    }

    private let loop: EventLoop
    private let directory: FilePath
    private let awaited: AwaitedDevice
    private let open: @Sendable () throws(RingerError) -> Source
    private let state: Mutex<State>

    /// A watcher that opens its device with `open`, on the loop's thread. The device's file comes and goes in
    /// `directory`; `name` is what the device is, until it is open. An awaited device that cannot be opened at the start
    /// is reported as lost, and as found once it can.
    init(
        loop: EventLoop, name: String, directory: FilePath, awaited: AwaitedDevice = .no,
        open: @escaping @Sendable () throws(RingerError) -> Source
    ) {
        self.loop = loop
        self.directory = directory
        self.awaited = awaited
        self.open = open
        state = Mutex(State(name: name))
    }

    /// What the device is, for people; the last one while it is gone.
    var name: String { state.withLock { $0.name } }

    /// Opens the device and reports its current state before it returns; an awaited one that cannot be opened is
    /// reported as lost.
    func start(_ handler: @escaping Handler) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in try self.begin(handler) }
    }

    /// Ends watching; a call of the handler that is under way ends first, unless this is it.
    func close() {
        loop.sync { self.tearDown() }
    }

    /// Ends watching soon: for a deinitialiser, which must not wait.
    func closeSoon() {
        loop.execute { self.tearDown() }
    }

    // MARK: - On the loop's thread

    private func begin(_ handler: @escaping Handler) throws(RingerError) {
        let (phase, name) = state.withLock { ($0.phase, $0.name) }
        switch phase {
        case .idle: break
        case .watching: throw RingerError(.invalid, "watch", name, detail: "it is being watched already")
        case .closed: throw RingerError(.closed, "watch", name)
        }
        // The directory first: a device that goes before it is watched would not be missed.
        let notifier = try DirectoryNotifier(directory)
        let notifierDescriptor = notifier.descriptor
        var events: [WatchEvent<Source.Report>] = []
        do throws(RingerError) {
            try adopt(open(), into: &events)
        } catch {
            guard awaited.includes(error) else { throw error }
            events.append(.lost(HardwareProblem.explain(error), at: loop.now))
        }
        let watch = loop.watch(notifierDescriptor, for: Int16(POLLIN)) { _ in self.directoryChanged() }
        store(notifier, watch, handler)
        if case .lost(let error, _) = events.last { tryAgain(after: error) }
        tell(events)
    }

    private func store(
        _ notifier: consuming DirectoryNotifier, _ watch: EventLoop.WatchedDescriptor, _ handler: @escaping Handler
    ) {
        var notifier = Optional(notifier)
        state.withLock { state in
            state.notifier = notifier.take()
            state.notifierWatch = watch
            state.handler = handler
            state.phase = .watching
        }
    }

    /// Watches `source`, then takes in what is so now. Where that fails, it is closed again.
    private func adopt(
        _ source: consuming Source, into events: inout [WatchEvent<Source.Report>]
    ) throws(RingerError) {
        var reports: [Source.Report] = []
        try source.begin(now: loop.now, into: &reports)
        events.append(contentsOf: reports.map(WatchEvent.report))
        let name = source.name
        let watch = loop.watch(source.descriptor, for: Int16(POLLIN)) { ready in self.isReady(ready) }
        var adopted = Optional(source)
        state.withLock { state in
            state.name = name
            state.source = adopted.take()
            state.sourceWatch = watch
            schedule(&state)
        }
    }

    private func isReady(_ ready: Int16) {
        step { source, now, reports throws(RingerError) in
            let mayHaveMore = try source.read(isReady: ready & Int16(POLLIN) != 0, now: now, into: &reports)
            // A descriptor that is broken and reads as if it were not would wake the loop for ever.
            if ready & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
                throw RingerError("read", source.name, .noDevice)
            }
            return mayHaveMore
        }
    }

    /// What was told may have set a task on the loop to work: that goes first.
    private func readMore() {
        step { source, now, reports throws(RingerError) in
            try source.read(isReady: false, now: now, into: &reports)
        }
    }

    private func timerFired() {
        step { source, now, reports throws(RingerError) in
            try source.tick(now: now(), into: &reports)
            return false
        }
    }

    private func directoryChanged() {
        state.withLock { state in _ = state.notifier?.drain() }
        let isOpen = state.withLock { $0.source != nil }
        if isOpen {
            step { source, _, _ throws(RingerError) in
                if !source.isPresent { throw RingerError("read", source.name, .noDevice) }
                return false
            }
        } else {
            find(isDoubtful: false)
        }
    }

    /// Lets the source do something, tells what came of it, and has more read where `body` says that there may be.
    private func step(
        _ body: (inout Source, () -> MonotonicTime, inout [Source.Report]) throws(RingerError) -> Bool
    ) {
        var mayHaveMore = false
        var reports: [Source.Report] = []
        var wasDoubtful = false
        let failure: RingerError? = state.withLock { state in
            guard var source = state.source.take() else { return nil }
            wasDoubtful = state.isDoubtful
            state.isDoubtful = false
            do throws(RingerError) {
                mayHaveMore = try body(&source, { loop.now }, &reports)
            } catch {
                state.sourceWatch?.cancel()
                state.sourceWatch = nil
                state.timer?.cancel()
                state.timer = nil
                return error
            }
            state.source = consume source
            state.failures = 0
            schedule(&state)
            return nil
        }
        for report in reports { tell(.report(report)) }
        if let failure { tell(.lost(failure, at: loop.now)) }
        if mayHaveMore { loop.execute { self.readMore() } }
        guard let failure else { return }
        // It may be back already: its file would not change again. One that opens and fails at once, again and again,
        // waits for the next change all the same.
        if wasDoubtful { tryAgain(after: failure) } else { find(isDoubtful: true) }
    }

    /// Opens the device again later where `error` is a failure of its bus, such as an I2C expander's that did not
    /// acknowledge: after 10 ms at first, then ever more slowly, up to 10 s.
    private func tryAgain(after error: RingerError) {
        guard error.code == .system || error.code == .timedOut else { return }
        state.withLock { state in
            guard state.phase == .watching, state.source == nil else { return }
            state.failures += 1
            let delay = min(Duration.milliseconds(10) * (1 << min(state.failures - 1, 10)), .seconds(10))
            state.timer?.cancel()
            state.timer = loop.schedule(at: loop.now + delay) { self.find(isDoubtful: true) }
        }
    }

    /// Opens the device again, where it is back.
    private func find(isDoubtful: Bool) {
        let isMissing = state.withLock { state in
            state.isDoubtful = isDoubtful
            return state.phase == .watching && state.source == nil
        }
        guard isMissing else { return }
        var events: [WatchEvent<Source.Report>] = [.found(at: loop.now)]
        do throws(RingerError) {
            try adopt(open(), into: &events)
        } catch {
            // Not there yet, or not permitted yet: the next change of the directory, or of the file's mode, tries again.
            tryAgain(after: error)
            return
        }
        tell(events)
    }

    private func schedule(_ state: inout State) {
        state.timer?.cancel()
        state.timer = state.source?.deadline.map { deadline in
            loop.schedule(at: deadline) { self.timerFired() }
        }
    }

    private func tell(_ events: [WatchEvent<Source.Report>]) {
        for event in events { tell(event) }
    }

    /// Calls the handler, which may close the watcher.
    private func tell(_ event: WatchEvent<Source.Report>) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }

    private func tearDown() {
        state.withLock { state in
            state.phase = .closed
            state.handler = nil
            state.sourceWatch?.cancel()
            state.notifierWatch?.cancel()
            state.timer?.cancel()
            state.sourceWatch = nil
            state.notifierWatch = nil
            state.timer = nil
            state.source = nil
            state.notifier = nil
        }
    }
}

extension DeviceWatcher where Source: ~Copyable, Source.Report == DeviceStateChange {
    /// Opens the device and tells what is so now, before it returns; then its changes, its loss and its return.
    func startTelling(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try start { event in
            switch event {
            case .report(let change): handler(change)
            case .lost(let error, _): handler(.lost(error))
            case .found: handler(.found)
            }
        }
    }
}
