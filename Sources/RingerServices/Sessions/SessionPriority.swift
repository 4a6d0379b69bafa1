/// How much a session matters beside others. Firmware may use numbers between and beyond the named ones.
///
/// Between sessions of the same priority the newest wins, as on a phone between applications. A session of a higher
/// priority that does not mix interrupts every lower one, mixing or not, and lower ones cannot be activated beside it.
public struct SessionPriority: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number; the larger matters more.
    public let rawValue: Int

    /// The priority of this number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// What most sounds have: music, announcements, games.
    public static let ordinary = SessionPriority(rawValue: 0)
    /// A call, or its ring tone.
    public static let call = SessionPriority(rawValue: 100)
    /// A warning that has to be heard even during a call.
    public static let alarm = SessionPriority(rawValue: 200)

    /// Whether `left` matters less.
    public static func < (left: SessionPriority, right: SessionPriority) -> Bool { left.rawValue < right.rawValue }
}
