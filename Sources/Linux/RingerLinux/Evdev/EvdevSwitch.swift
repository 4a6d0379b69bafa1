import RingerCore
import SystemPackage

/// A Ring/Silent switch that the kernel shows as an input device, usually gpio-keys with `SW_MUTE_DEVICE`.
///
/// The driver debounces it (`debounce-interval` in the device tree): each event counts at once. Any thread may use it; it
/// reads and reports on the event loop's.
public final class EvdevSwitch: RingSilentSwitch {
    private let reader: HotplugReader<Opened>

    /// The switch of an input device.
    ///
    /// - Parameters:
    ///   - device: Which device.
    ///   - code: The switch's code.
    ///   - isInverted: False if the switch is on at silent, as `SW_MUTE_DEVICE` is; true if it is on at ring.
    ///   - loop: The thread that reads it.
    ///   - paths: Where the kernel shows its devices.
    ///   - isAwaited: Whether to wait for a switch that cannot be opened at the start; see ``SwitchSpecification``.
    public init(
        _ device: EvdevSelector = .automatic(), code: EvdevCode = .muteDevice, isInverted: Bool = false,
        loop: EventLoop, paths: HardwarePaths = .standard, isAwaited: Bool = false
    ) {
        reader = HotplugReader(
            loop: loop, name: "evdev \(device.description)", directory: device.directory(paths),
            awaited: isAwaited ? .unlessMisnamed : .no
        ) { () throws(RingerError) in
            let handle = try device.open(in: paths, code: code)
            return Opened(handle, code: code, isInverted: isInverted)
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "evdev /dev/input/event0 (ring-silent-switch)".
    public var name: String { reader.name }

    /// Starts watching. Reports the current position before it returns, then each change with the kernel's timestamp.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        try reader.start { event in handler(SwitchEvent(event)) }
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

    /// The open switch.
    private struct Opened: ~Copyable, WatchedDevice {
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
            // A copy, since `handle`, another property of self, is being read.
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
