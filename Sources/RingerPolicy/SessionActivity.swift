/// What the audio sessions of the device are doing, as far as it bears on other sounds.
public struct SessionActivity: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An active session's category lets nothing be played: ``AudioCategory/record`` or
    /// ``AudioCategory/audioProcessing``.
    public static let silencesPlayback = SessionActivity(rawValue: 1)
    /// An active session takes input.
    public static let records = SessionActivity(rawValue: 2)
    /// An interruption, such as a call, is under way.
    public static let interrupted = SessionActivity(rawValue: 4)
}
