import RingerServices
import SystemPackage

/// A three-position slider, silent, vibrate and ring, that the kernel shows as an absolute axis: `ABS_SND_PROFILE`.
///
/// While it travels, gpio-keys reports 0, and 0 is silent; a polled driver shows, when it is opened, where the slider
/// stood the last time. A position counts therefore once it stood for the settle time, the first one included. Its stamp
/// is that of its arrival.
public final class EvdevSlider: RingSilentSwitch {
    private let watcher: DeviceWatcher<Source>
    private let loop: EventLoop

    /// The slider of an input device.
    ///
    /// - Parameters:
    ///   - device: Which device.
    ///   - settleTime: How long a position has to stand before it counts.
    ///   - loop: Where it is watched.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether a switch that cannot be opened at the start is waited for; see ``SwitchSpecification``.
    public init(
        _ device: EvdevSelector = .automatic(), settleTime: Duration = .milliseconds(50), loop: EventLoop,
        paths: HardwarePaths = .standard, isAwaited: Bool = false
    ) {
        self.loop = loop
        let code = EvdevCode.soundProfile
        watcher = DeviceWatcher(
            loop: loop, name: "slider \(device.description)", directory: device.directory(paths),
            awaited: isAwaited ? .unlessMisnamed : .no
        ) { () throws(RingerError) in
            let handle = try device.open(in: paths, code: code)
            return Source(handle, settleTime: settleTime)
        }
    }

    deinit {
        watcher.closeSoon()
    }

    /// "slider /dev/input/event0 (alert-slider)".
    public var name: String { watcher.name }

    /// Begins to watch. The first position is reported once it has settled, and before this returns if that takes at most
    /// a second. Called on the loop's own thread, which cannot wait for itself, this returns at once.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        let isReported = Latch()
        try watcher.start { event in
            handler(SwitchEvent(event))
            // A slider that is lost before it settles reports that instead: there is nothing more to wait for.
            isReported.open()
        }
        if !loop.isCurrentThread { isReported.wait(until: .now + .seconds(1)) }
    }

    /// Ends watching and closes the device. It may be called from anywhere, the handler included; elsewhere it waits
    /// for a call of the handler that is under way, so the caller must hold no lock that the handler takes.
    public func close() {
        watcher.close()
    }

    /// The open slider.
    private struct Source: ~Copyable, DeviceSource {
        private let handle: EvdevHandle
        /// Its first level is none, so that every position has to settle, and none is reported twice.
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
                    // Everything was read just now: the library knows the value.
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
    /// The position that `ABS_SND_PROFILE` reports as `value`; nil for a value without a meaning, at which the last
    /// position stays in force.
    fileprivate init?(soundProfile value: Int32) {
        switch value {
        case 0: self = .silent
        case 1: self = .vibrate
        case 2: self = .ring
        default: return nil
        }
    }
}
