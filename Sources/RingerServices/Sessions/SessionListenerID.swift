/// The number of one listener: of one pair of a property and client data.
public struct SessionListenerID: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: UInt64

    /// The listener of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}
