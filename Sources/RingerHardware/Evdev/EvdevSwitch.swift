import RingerServices
import SystemPackage

/// A Ring/Silent switch that the kernel shows as an input device: gpio-keys with `SW_MUTE_DEVICE`, most often.
///
/// The driver debounces it (`debounce-interval` in the device tree); each event counts at once.
public final class EvdevSwitch: RingSilentSwitch {
    private let watcher: DeviceWatcher<Source>

    /// The switch of an input device.
    ///
    /// - Parameters:
    ///   - device: Which device.
    ///   - code: The device's switch.
    ///   - isInverted: False where the switch is set at silent, as `SW_MUTE_DEVICE` is; true where it is set at ring.
    ///   - loop: Where it is watched.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether a switch that cannot be opened at the start is waited for; see ``SwitchSpecification``.
    public init(
        _ device: EvdevSelector = .automatic(), code: EvdevCode = .muteDevice, isInverted: Bool = false,
        loop: EventLoop, paths: HardwarePaths = .standard, isAwaited: Bool = false
    ) {
        watcher = DeviceWatcher(
            loop: loop, name: "evdev \(device.description)", directory: device.directory(paths),
            awaited: isAwaited ? .unlessMisnamed : .no
        ) { () throws(RingerError) in
            let handle = try device.open(in: paths, code: code)
            return Source(handle, code: code, isInverted: isInverted)
        }
    }

    deinit {
        watcher.closeSoon()
    }

    /// "evdev /dev/input/event0 (ring-silent-switch)".
    public var name: String { watcher.name }

    /// Begins to watch. The current position is reported before it returns, then each change with the kernel's timestamp.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        try watcher.start { event in handler(SwitchEvent(event)) }
    }

    /// Ends watching and closes the device. It may be called from anywhere, the handler included; elsewhere it waits
    /// for a call of the handler that is under way, so the caller must hold no lock that the handler takes.
    public func close() {
        watcher.close()
    }

    /// The open switch.
    private struct Source: ~Copyable, DeviceSource {
        private let handle: EvdevHandle
        private let code: EvdevCode
        private let isInverted: Bool
        private var told: SwitchPosition?

        init(_ handle: consuming EvdevHandle, code: EvdevCode, isInverted: Bool) {
            handle.passOnly([code])
            self.handle = handle
            self.code = code
            self.isInverted = isInverted
        }

        var name: String { "evdev \(handle.description)" }
        var descriptor: CInt { handle.descriptor }

        mutating func begin(now: MonotonicTime, into reports: inout [SwitchEvent]) {
            var told = told
            tell(handle.value(of: code), at: now, told: &told, into: &reports)
            self.told = told
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [SwitchEvent]
        ) throws(RingerError) -> Bool {
            // On a copy: the handle is being read, and is part of the source too.
            var told = told
            defer { self.told = told }
            return try handle.read(now: now) { input in
                switch input {
                case .value(code, let value, let at): tell(value, at: at, told: &told, into: &reports)
                case .value: break
                case .dropped(let at): reports.append(.dropped(count: nil, at: at))
                }
            }
        }

        private func tell(
            _ value: Int32, at: MonotonicTime, told: inout SwitchPosition?, into reports: inout [SwitchEvent]
        ) {
            let position: SwitchPosition = (value != 0) == isInverted ? .ring : .silent
            if position == told { return }
            told = position
            reports.append(.position(position, at: at))
        }
    }
}
