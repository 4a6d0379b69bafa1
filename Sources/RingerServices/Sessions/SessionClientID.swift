/// The number of a client of the coordinator: a process, or a part of this one. Its sessions go when it dies.
public struct SessionClientID: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// The client of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The process that the coordinator runs in.
    public static let local = SessionClientID(rawValue: 0)
}
