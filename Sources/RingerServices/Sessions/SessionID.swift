/// A session's number: unique on the device for as long as its coordinator lives, chosen by whoever makes the session.
///
/// It means the same in every process. 0 and the largest number are none.
public struct SessionID: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number.
    public let rawValue: UInt64

    /// The session of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Whether `left` has the smaller number.
    public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}
