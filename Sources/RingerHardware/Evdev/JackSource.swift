import RingerServices
import SystemPackage

/// The jacks that the kernel shows as switches of an input device: headphones and microphone.
public final class JackSource: DeviceStateSource {
    private static let codes = [EvdevCode.headphoneInsert, .microphoneInsert]
    private let reader: HotplugReader<Opened>

    /// The jacks of an input device, by default of the first one that has any.
    public init(_ device: EvdevSelector = .automatic(), loop: EventLoop, paths: HardwarePaths = .standard) {
        reader = HotplugReader(loop: loop, name: "jack \(device.description)", directory: device.directory(paths)) {
            () throws(RingerError) in
            let wanted = Self.codes.map(\.description).joined(separator: " or ")
            return Opened(try device.open(in: paths, wanted: wanted) { $0.has(Self.codes[0]) || $0.has(Self.codes[1]) })
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "jack /dev/input/event3 (sound Headset Jack)".
    public var name: String { reader.name }

    /// Starts watching. Before it returns, reports what is plugged in now, for the jacks that the device has.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try reader.startReporting(handler)
    }

    /// Ends watching and closes the device. May be called from the handler; elsewhere it waits for a running call of
    /// the handler, so the caller must not hold a lock that the handler takes.
    public func close() {
        reader.close()
    }

    /// The open device.
    private struct Opened: ~Copyable, OpenDevice {
        private let handle: EvdevHandle
        private var told: [EvdevCode: Bool] = [:]

        init(_ handle: consuming EvdevHandle) {
            handle.passOnly(codes)
            self.handle = handle
        }

        var name: String { "jack \(handle.description)" }
        var descriptor: CInt { handle.descriptor }

        mutating func begin(now: MonotonicTime, into reports: inout [DeviceStateChange]) {
            for code in codes where handle.has(code) { tell(code, handle.value(of: code), into: &reports) }
        }

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [DeviceStateChange]
        ) throws(RingerError) -> Bool {
            var inputs: [EvdevHandle.Input] = []
            defer {
                // A drop needs no report of its own: the changed values follow it.
                for case .value(let code, let value, _) in inputs { tell(code, value, into: &reports) }
            }
            return try handle.read(now: now) { inputs.append($0) }
        }

        private mutating func tell(_ code: EvdevCode, _ value: Int32, into reports: inout [DeviceStateChange]) {
            let isInserted = value != 0
            guard codes.contains(code), told[code] != isInserted else { return }
            told[code] = isInserted
            reports.append(code == .headphoneInsert ? .headphoneInserted(isInserted) : .microphoneInserted(isInserted))
        }
    }
}
