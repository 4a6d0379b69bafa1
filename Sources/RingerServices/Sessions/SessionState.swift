/// A session as its coordinator knows it.
public struct SessionState: Sendable, Hashable {
    /// Whether a session has its place among those that may be heard.
    public enum Phase: String, Sendable, Hashable {
        /// It is not active, and waits for nothing.
        case inactive
        /// It is active.
        case active
        /// It was active, was interrupted, and waits to be told the end.
        case interrupted
    }

    /// The session's number.
    public let id: SessionID
    /// The client that made it.
    public let client: SessionClientID
    /// The session's name, for people.
    public let name: String
    /// How much it matters.
    public let priority: SessionPriority
    /// Category, options and overrides.
    public internal(set) var settings = SessionSettings()
    /// Whether it is active.
    public internal(set) var phase = Phase.inactive
    /// Whether it is playing, or recording.
    public internal(set) var isSounding = false
    /// Whether its sound is down by ``Ducking``.
    public internal(set) var isDucked = false
    /// What it would like the hardware to do.
    public internal(set) var preferences = SessionPreferences()
    /// Where its sound goes.
    public internal(set) var route: SessionRoute
    /// What interrupts it. It waits until there is none left.
    public internal(set) var causes: [InterruptionCause] = []
    /// Whether everything that interrupted it and is over left it free to resume.
    public internal(set) var mayResume = true
    /// The count of activations when it was activated last: the larger is the newer.
    public internal(set) var activation: UInt64 = 0

    /// Whether it is active and not interrupted.
    public var isActive: Bool { phase == .active }
    /// Whether it was interrupted and has not been told the end.
    public var isInterrupted: Bool { phase == .interrupted }

    /// Whether it comes before `other`: it matters more, or as much and is newer.
    func leads(_ other: SessionState) -> Bool {
        priority == other.priority ? activation > other.activation : priority > other.priority
    }
}
