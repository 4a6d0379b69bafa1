import SystemSounds

/// The number by which a program plays a system sound.
///
/// 1000 to 4095 are predefined sounds. Registered sounds have greater numbers; the number of a sound that was disposed of
/// is not used again until all others, some four thousand million, have been. The corresponding C type is `SystemSoundID`.
public struct SystemSoundID: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The number.
    public let rawValue: UInt32

    /// The ID of this number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The ID of this number.
    public init(integerLiteral value: UInt32) {
        rawValue = value
    }

    /// The vibration that no setting suppresses. The corresponding C constant is `kSystemSoundID_Vibrate`.
    public static let vibrate: SystemSoundID = 4095

    /// The numbers of predefined sounds.
    public static let predefined: ClosedRange<UInt32> = 1000...4095

    /// The predefined sound of this number; nil if there is none.
    public var predefinedSound: PredefinedSound? { PredefinedSound.withID(rawValue) }
}

extension SystemSoundID: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}
