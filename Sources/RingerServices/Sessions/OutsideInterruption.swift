/// The number of an interruption that comes from outside the sessions, chosen by whoever reports it.
public struct OutsideInterruption: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// The interruption of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
