/// What interrupts a session.
public enum InterruptionCause: Sendable, Hashable {
    /// Another session, which was activated.
    case session(SessionID)
    /// Something that is no session: a call that rings, an alarm clock.
    case outside(OutsideInterruption)
}
