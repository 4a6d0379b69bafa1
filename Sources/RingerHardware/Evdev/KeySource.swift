import RingerServices
import SystemPackage

/// The device's keys, which the kernel shows as an input device: `KEY_AGAIN` repeats the last announcement, `KEY_MUTE`
/// silences the ring.
///
/// The kernel's repetitions of a held key are not reported.
public final class KeySource: DeviceStateSource {
    private let reader: HotplugReader<Opened>

    /// The keys of an input device, by default of the first one that has any and is no keyboard.
    public init(_ device: EvdevSelector = .automatic(), loop: EventLoop, paths: HardwarePaths = .standard) {
        reader = HotplugReader(loop: loop, name: "keys \(device.description)", directory: device.directory(paths)) {
            () throws(RingerError) in
            let wanted = DeviceKey.allCases.map(\.code.description).joined(separator: " or ")
            return Opened(try device.open(in: paths, wanted: wanted) { device.path != nil || $0.isDeviceKeys })
        }
    }

    deinit {
        reader.closeSoon()
    }

    /// "keys /dev/input/event2 (gpio-keys)".
    public var name: String { reader.name }

    /// Starts watching. A key that is held at the start is reported once it is released.
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

        init(_ handle: consuming EvdevHandle) {
            handle.passOnly(DeviceKey.allCases.map(\.code))
            self.handle = handle
        }

        var name: String { "keys \(handle.description)" }
        var descriptor: CInt { handle.descriptor }

        mutating func begin(now: MonotonicTime, into reports: inout [DeviceStateChange]) {}

        mutating func read(
            isReady: Bool, now: () -> MonotonicTime, into reports: inout [DeviceStateChange]
        ) throws(RingerError) -> Bool {
            var inputs: [EvdevHandle.Input] = []
            defer {
                // After a drop the keys whose state changed follow it.
                for case .value(let code, let value, let at) in inputs where value == 0 || value == 1 {
                    guard let key = DeviceKey.allCases.first(where: { $0.code == code }) else { continue }
                    reports.append(.key(key, isPressed: value == 1, at: at))
                }
            }
            return try handle.read(now: now) { inputs.append($0) }
        }
    }
}

extension DeviceKey {
    /// The key's code in the kernel's headers.
    var code: EvdevCode {
        switch self {
        case .repeatAnnouncement: .again
        case .silenceRing: .mute
        }
    }
}

extension EvdevHandle {
    /// Whether the device has one of the device's keys, and is no keyboard: those have keys for letters.
    var isDeviceKeys: Bool {
        DeviceKey.allCases.contains { has($0.code) } && !has(.letterA)
    }
}
