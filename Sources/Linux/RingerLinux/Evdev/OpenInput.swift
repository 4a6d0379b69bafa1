import RingerCore

/// An open input device whose switches or keys are reported as changes of the device's state.
struct OpenInput: ~Copyable, WatchedDevice {
    /// What of an input device is reported.
    enum Kind: String {
        case jack, keys
        case volumeKeys = "volume keys"

        /// For errors.
        var wanted: String {
            switch self {
            case .jack: "SW_HEADPHONE_INSERT or SW_MICROPHONE_INSERT"
            case .keys: "KEY_AGAIN or KEY_MUTE"
            case .volumeKeys: "KEY_VOLUMEUP or KEY_VOLUMEDOWN"
            }
        }

        var codes: [EvdevCode] {
            switch self {
            case .jack: [.headphoneInsert, .microphoneInsert]
            case .keys: [.again, .mute]
            case .volumeKeys: [.volumeUp, .volumeDown]
            }
        }
    }

    private let kind: Kind
    private let handle: EvdevHandle
    /// What is on, of the codes that were read.
    private var states: [EvdevCode: Bool] = [:]

    init(_ kind: Kind, _ handle: consuming EvdevHandle) {
        handle.passOnly(kind.codes)
        self.kind = kind
        self.handle = handle
    }

    /// Reads the jacks or keys of `device`; without a path, of the first device that has any. A keyboard's keys have to be
    /// named.
    static func reader(
        _ kind: Kind, of device: EvdevSelector, loop: EventLoop, paths: HardwarePaths
    ) -> HotplugReader<OpenInput> {
        HotplugReader(
            loop: loop, name: "\(kind.rawValue) \(device.description)", directory: device.directory(paths)
        ) { () throws(RingerError) in
            let handle = try device.open(in: paths, wanted: kind.wanted) { handle in
                let hasAny = kind.codes.contains { handle.has($0) }
                return hasAny && (kind == .jack || device.path != nil || !handle.isKeyboard)
            }
            return OpenInput(kind, handle)
        }
    }

    var name: String { "\(kind.rawValue) \(handle.description)" }
    var descriptor: CInt { handle.descriptor }

    /// Jacks are reported as they are; a key that is held, once it is released. A volume key that is held was not pressed.
    mutating func begin(now: MonotonicTime, into reports: inout [DeviceStateChange]) {
        for code in kind.codes where handle.has(code) {
            let isOn = kind != .volumeKeys && handle.value(of: code) != 0
            states[code] = isOn
            if kind == .jack, let change = Self.change(code, isOn, now) { reports.append(change) }
        }
    }

    mutating func read(
        isReady: Bool, now: () -> MonotonicTime, into reports: inout [DeviceStateChange]
    ) throws(RingerError) -> Bool {
        var inputs: [EvdevHandle.Input] = []
        defer {
            // A drop needs no report of its own: the changed values follow it.
            for case .value(let code, let value, let at) in inputs {
                // The kernel repeats a held key.
                if value == 2 {
                    if kind == .volumeKeys, states[code] == true, let change = Self.repetition(code, at) {
                        reports.append(change)
                    }
                    continue
                }
                let isOn = value != 0
                guard let wasOn = states[code], wasOn != isOn else { continue }
                states[code] = isOn
                if let change = Self.change(code, isOn, at) { reports.append(change) }
            }
        }
        return try handle.read(now: now) { inputs.append($0) }
    }

    private static func change(_ code: EvdevCode, _ isOn: Bool, _ at: MonotonicTime) -> DeviceStateChange? {
        switch code {
        case .headphoneInsert: .headphoneInserted(isOn)
        case .microphoneInsert: .microphoneInserted(isOn)
        case .again: .key(.repeatAnnouncement, isPressed: isOn, at: at)
        case .mute: .key(.silenceRing, isPressed: isOn, at: at)
        case .volumeUp: .key(.volumeUp, isPressed: isOn, at: at)
        case .volumeDown: .key(.volumeDown, isPressed: isOn, at: at)
        default: nil
        }
    }

    private static func repetition(_ code: EvdevCode, _ at: MonotonicTime) -> DeviceStateChange? {
        switch change(code, true, at) {
        case .key(let key, _, _): .keyRepeated(key, at: at)
        default: nil
        }
    }
}
