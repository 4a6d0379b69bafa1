/// The activity of the device's audio sessions, as far as it affects other sounds.
public struct SessionActivity: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An active session's category silences all playback: ``AudioCategory/record`` or
    /// ``AudioCategory/audioProcessing``.
    public static let silencesPlayback = SessionActivity(rawValue: 1)
    /// An active session takes input.
    public static let records = SessionActivity(rawValue: 2)
    /// An interruption, such as a call, is in progress.
    public static let interrupted = SessionActivity(rawValue: 4)
    /// A call is on: a session of the category ``AudioCategory/playAndRecord`` is active that does not play beside others, or that
    /// has a call's priority. A ring tone, whose session does not record, is none.
    public static let call = SessionActivity(rawValue: 8)
    /// The session of that call has the priority of a call, or a higher one.
    public static let callByPriority = SessionActivity(rawValue: 16)
}
