import SessionRules

/// Something that happened to a session.
@nonexhaustive
public enum SessionEvent: Sendable, Hashable {
    /// It became active.
    case activated
    /// It is no longer active, nor interrupted.
    case deactivated
    /// It is interrupted: its sounds were silenced.
    case interruptionBegan(by: InterruptionCause)
    /// The interruption ended. With `shouldResume` the session is active again and may play on; without, it is inactive.
    case interruptionEnded(shouldResume: Bool)
    /// The interruption has no end.
    case interruptionDropped(InterruptionDropReason)
    /// Its sounds were stopped. Another event reports the interruption, deactivation or route change.
    case soundStopped(SessionStopReason)
    /// Another session ducks it: its gain falls, as the user's preferences about ducking say.
    case ducked
    /// It is no longer ducked.
    case unducked
    /// Its category, options or overrides changed.
    case settingsChanged(SessionSettings)
    /// Its route changed.
    case routeChanged(RouteChange)
    /// It is active, and its sound is heard.
    case audible
    /// It is active, and its sound is not heard, because of the switch, the lock, or a session that records.
    case silenced(by: Decision.Reason)
}
