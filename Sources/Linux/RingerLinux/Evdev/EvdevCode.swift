import CEvdev

/// The code of a switch, a key or an axis of an input device.
public struct EvdevCode: Sendable, Hashable {
    /// The event type: `EV_SW`, `EV_KEY`, `EV_ABS`.
    public var type: UInt16
    /// The code within its type.
    public var code: UInt16

    /// The code `code` of the event type `type`.
    public init(type: UInt16, code: UInt16) {
        self.type = type
        self.code = code
    }

    /// The switch code `code`.
    public static func `switch`(_ code: Int32) -> EvdevCode {
        EvdevCode(type: UInt16(EV_SW), code: UInt16(truncatingIfNeeded: code))
    }

    /// The device is muted, or disabled: the Ring/Silent switch.
    public static let muteDevice = EvdevCode.switch(SW_MUTE_DEVICE)
    /// Headphones are plugged in.
    public static let headphoneInsert = EvdevCode.switch(SW_HEADPHONE_INSERT)
    /// A microphone is plugged in.
    public static let microphoneInsert = EvdevCode.switch(SW_MICROPHONE_INSERT)
    /// The key that repeats the last announcement.
    static let again = EvdevCode(type: UInt16(EV_KEY), code: UInt16(KEY_AGAIN))
    /// The key that silences the ring.
    static let mute = EvdevCode(type: UInt16(EV_KEY), code: UInt16(KEY_MUTE))
    /// The key that makes what is heard louder.
    static let volumeUp = EvdevCode(type: UInt16(EV_KEY), code: UInt16(KEY_VOLUMEUP))
    /// The key that makes what is heard softer.
    static let volumeDown = EvdevCode(type: UInt16(EV_KEY), code: UInt16(KEY_VOLUMEDOWN))
    /// A key of keyboards.
    static let letterA = EvdevCode(type: UInt16(EV_KEY), code: UInt16(KEY_A))
    /// The three-position slider: 0 silent, 1 vibrate, 2 ring.
    public static let soundProfile = EvdevCode(type: UInt16(EV_ABS), code: UInt16(ABS_SND_PROFILE))

    /// The switch that `text` names, "SW_MUTE_DEVICE", or numbers, "14" or "0x0e"; nil if there is no such switch.
    ///
    /// The corresponding C function is `libevdev_event_code_from_name`.
    public init?(switchNamed text: String) {
        self.init(text, type: EV_SW, last: SW_MAX)
    }

    /// The key or button that `text` names, "KEY_MUTE", or numbers, "113" or "0x71"; nil if there is no such key.
    ///
    /// The corresponding C function is `libevdev_event_code_from_name`.
    public init?(keyNamed text: String) {
        self.init(text, type: EV_KEY, last: KEY_MAX)
    }

    private init?(_ text: String, type: Int32, last: Int32) {
        let code: Int32
        if text.hasPrefix("0x") {
            guard let number = Int32(text.dropFirst(2), radix: 16) else { return nil }
            code = number
        } else if let number = Int32(text) {
            code = number
        } else {
            code = libevdev_event_code_from_name(UInt32(type), text)
        }
        guard (0...last).contains(code) else { return nil }
        self.init(type: UInt16(type), code: UInt16(code))
    }
}

extension EvdevCode: CustomStringConvertible {
    /// The code's name in the kernel's headers, or its number if it has no name there.
    public var description: String {
        if self == .soundProfile { return "ABS_SND_PROFILE" }
        if let name = libevdev_event_code_get_name(UInt32(type), UInt32(code)) { return String(cString: name) }
        return "type \(type) code \(code)"
    }
}
