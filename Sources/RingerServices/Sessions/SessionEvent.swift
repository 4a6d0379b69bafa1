/// What a session is told.
public enum SessionEvent: Sendable, Hashable {
    /// It became active.
    case activated
    /// It is no longer active, nor waits to be.
    case deactivated
    /// It is interrupted: what it played was silenced.
    case interruptionBegan(by: InterruptionCause)
    /// The interruption is over. With `shouldResume` the session is active again and may play on; without, it is
    /// inactive.
    case interruptionEnded(shouldResume: Bool)
    /// The interruption is forgotten, and has no end.
    case interruptionDropped(SessionCoordinator.DropReason)
    /// What it played was stopped. An interruption, a deactivation or a route change tells the rest.
    case soundStopped(SessionCoordinator.StopReason)
    /// Its sound is down by ``Ducking``, because another session ducks it.
    case ducked
    /// Its sound is back.
    case unducked
    /// Its category, options or overrides are others now.
    case settingsChanged(SessionSettings)
    /// Its sound goes elsewhere now.
    case routeChanged(RouteChange)
    /// It is active, and what it plays is heard.
    case audible
    /// It is active, and what it plays is not heard: the switch, the lock, a session that records.
    case silenced(by: Decision.Reason)
}
