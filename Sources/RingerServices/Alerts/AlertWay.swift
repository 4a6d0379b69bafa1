/// How an alert makes itself known, as far as the switch and the user's preferences allow.
public enum AlertWay: String, Sendable, Hashable, CaseIterable {
    /// It is heard.
    case sound
    /// It is felt.
    case vibration
    /// It is heard and felt.
    case both
    /// It is neither: it runs, and ends, unnoticed.
    case none

    /// Whether it may be heard.
    public var isHeard: Bool { self == .sound || self == .both }
    /// Whether it may be felt.
    public var isFelt: Bool { self == .vibration || self == .both }
}
