import RingerCore
import SystemPackage

/// A three-position slider (silent, vibrate, ring) that the kernel shows as an absolute axis, `ABS_SND_PROFILE`.
///
/// While the slider travels, gpio-keys reports 0, which also means silent; and right after opening, a polled driver
/// reports the slider's last known position. A position, the first one included, counts therefore only after it has not
/// changed for the settle time. Its timestamp is that of its arrival. Any thread may use it; it reads and reports on the
/// event loop's.
public final class EvdevSlider: RingSilentSwitch {
    private let reader: HotplugReader<Opened>
    private let loop: EventLoop

    /// The slider of an input device.
    ///
    /// - Parameters:
    ///   - device: Which device.
    ///   - settleTime: How long a position must not change before it counts.
    ///   - loop: The thread that reads it.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether to wait for a switch that cannot be opened at the start; see ``SwitchSpecification``.
    public init(
        _ device: EvdevSelector = .automatic(), settleTime: Duration = .milliseconds(50), loop: EventLoop,
        paths: HardwarePaths = .standard, isAwaited: Bool = false
    ) {
        self.loop = loop
        let code = EvdevCode.soundProfile
        reader = HotplugReader(
            loop: loop, name: "slider \(device.description)", directory: device.directory(paths),
            awaited: isAwaited ? .unlessMisnamed : .no
        ) { () throws(RingerError) in
            let handle = try device.open(in: paths, code: code)
            return Opened(handle, settleTime: settleTime)
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "slider /dev/input/event0 (alert-slider)".
    public var name: String { reader.name }

    /// Starts watching. The first position is reported once it has settled: before this returns if that takes at most 1
    /// s. On the loop's own thread, which cannot wait for itself, this returns at once.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        let isReported = Latch()
        try reader.start { event in
            handler(SwitchEvent(event))
            // A slider that disappears before it settled reports that instead: stop waiting.
            isReported.open()
        }
        if !loop.isCurrentThread { isReported.wait(until: .now + .seconds(1)) }
    }

    /// Takes in what the driver reported when the machine woke.
    public func reread() {
        reader.drain()
    }

    /// Ends watching and closes the device. May be called from the handler; elsewhere it waits for a running call of
    /// the handler, so the caller must not hold a lock that the handler takes.
    public func close() {
        reader.close()
    }

    /// The open slider.
    private struct Opened: ~Copyable, WatchedDevice {
        private let handle: EvdevHandle
        /// Its first level is nil, so that every position has to settle, and none is reported twice.
        private var debouncer: Debouncer<Int32?>
        private(set) var deadline: MonotonicTime?

        init(_ handle: consuming EvdevHandle, settleTime: Duration) {
            handle.passOnly([.soundProfile])
            debouncer = Debouncer(level: nil, duration: settleTime)
            self.handle = handle
        }

        var name: String { "slider \(handle.description)" }
        var descriptor: CInt { handle.descriptor }

        mutating func begin(now: MonotonicTime, into reports: inout [SwitchEvent]) {
            perform(debouncer.handle(.edge(handle.value(of: .soundProfile), at: now)), now, into: &reports)
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [SwitchEvent]
        ) throws(RingerError) -> Bool {
            var inputs: [EvdevHandle.Input] = []
            defer {
                for input in inputs {
                    switch input {
                    case .value(.soundProfile, let value, let at):
                        perform(debouncer.handle(.edge(value, at: at)), at, into: &reports)
                    case .value: break
                    case .dropped(let at):
                        perform(debouncer.handle(.missed), at, into: &reports)
                        reports.append(.dropped(count: nil, at: at))
                    }
                }
            }
            return try handle.read(now: now) { inputs.append($0) }
        }

        mutating func tick(now: MonotonicTime, into reports: inout [SwitchEvent]) throws(RingerError) {
            deadline = nil
            while try read(isReady: false, now: { now }, into: &reports) {}
            perform(debouncer.handle(.timer(at: now)), now, into: &reports)
        }

        private mutating func perform(
            _ actions: [Debouncer<Int32?>.Action], _ now: MonotonicTime, into reports: inout [SwitchEvent]
        ) {
            for action in actions {
                switch action {
                case .schedule(let at):
                    deadline = at
                case .readLevel:
                    // The handle was just read: libevdev knows the value.
                    let level = handle.value(of: .soundProfile)
                    perform(debouncer.handle(.level(level, at: now)), now, into: &reports)
                case .changed(let value, let at):
                    if let position = value.flatMap(SwitchPosition.init(soundProfile:)) {
                        reports.append(.position(position, at: at))
                    }
                }
            }
        }
    }
}

extension SwitchPosition {
    /// The position that the value of `ABS_SND_PROFILE` means; nil for an undefined value, which leaves the last
    /// position in force.
    fileprivate init?(soundProfile value: Int32) {
        switch value {
        case 0: self = .silent
        case 1: self = .vibrate
        case 2: self = .ring
        default: return nil
        }
    }
}
