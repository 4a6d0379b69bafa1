/// What makes a property revert to its default.
public struct SessionReverts: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Another category is set.
    public static let categoryChange = SessionReverts(rawValue: 1)
    /// The session is interrupted.
    public static let interruption = SessionReverts(rawValue: 2)
    /// A route came or went.
    public static let routeChange = SessionReverts(rawValue: 4)
}
