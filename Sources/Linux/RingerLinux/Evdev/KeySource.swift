import RingerCore
import Synchronization
import SystemPackage

/// The device's keys, which the kernel shows as an input device: `KEY_AGAIN` repeats the last announcement, `KEY_MUTE`
/// silences the ring; or its volume keys, `KEY_VOLUMEUP` and `KEY_VOLUMEDOWN`.
///
/// The kernel's repetitions of a held key are reported of volume keys alone. Any thread may use it; it reads and reports on the event
/// loop's.
public final class KeySource: DeviceStateSource {
    private let reader: HotplugReader<OpenInput>

    /// The keys of an input device, by default of the first one that has any and is no keyboard.
    public init(
        _ device: EvdevSelector = .automatic(), volumeKeys: Bool = false, loop: EventLoop,
        paths: HardwarePaths = .standard
    ) {
        reader = OpenInput.reader(volumeKeys ? .volumeKeys : .keys, of: device, loop: loop, paths: paths)
    }

    deinit {
        reader.closeSoon()
    }

    /// "keys /dev/input/event2 (gpio-keys)".
    public var name: String { reader.name }

    /// Starts watching. A key that is held at the start is reported once it is released. When the device is lost, the keys
    /// that are pressed are reported as released first.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try reader.start(PressedKeys.releasing(handler))
    }

    /// Ends watching and closes the device. May be called from the handler; elsewhere it waits for a running call of
    /// the handler, so the caller must not hold a lock that the handler takes.
    public func close() {
        reader.close()
    }
}

/// The keys that are pressed. It is used on the event loop's thread that reads them.
final class PressedKeys: Sendable {
    private let keys = Mutex<[DeviceKey]>([])

    /// Passes the keys' events on to `handler`, with the releases of pressed keys before the loss of their device.
    static func releasing(
        _ handler: @escaping @Sendable (DeviceStateChange) -> Void
    ) -> @Sendable (HotplugEvent<DeviceStateChange>) -> Void {
        let pressed = PressedKeys()
        return { event in
            switch event {
            case .report(let change):
                if case .key(let key, let isPressed, _) = change { pressed.note(key, isPressed) }
                handler(change)
            case .lost(let error, let at):
                for key in pressed.take() { handler(.key(key, isPressed: false, at: at)) }
                handler(.lost(error))
            case .found: handler(.found)
            }
        }
    }

    private func note(_ key: DeviceKey, _ isPressed: Bool) {
        keys.withLock { keys in
            keys.removeAll { $0 == key }
            if isPressed { keys.append(key) }
        }
    }

    private func take() -> [DeviceKey] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}

extension EvdevHandle {
    /// Whether the device has keys for letters.
    var isKeyboard: Bool { has(.letterA) }
}
