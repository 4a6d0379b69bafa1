extension SessionCoordinator {
    /// What is to be done about sessions.
    public enum Action: Sendable, Hashable {
        /// A client's request was carried out. It comes after everything that followed from it: others have stopped
        /// before the new one may begin. Each request has one of this and ``refused(_:_:)``, in the order of requests.
        case accepted(SessionID)
        /// A client's request was refused, and changed nothing.
        case refused(SessionID, SessionError)
        /// What the session plays stops at once, or pauses; it is told nothing else unless another action says so.
        case stopSound(SessionID, StopReason)
        /// The session became active.
        case activated(SessionID)
        /// The session is no longer active, nor waits to be: its client deactivated or removed it, or died.
        case deactivated(SessionID)
        /// The session is interrupted.
        case interruptionBegan(SessionID, by: InterruptionCause)
        /// The interruption is over. With `shouldResume` the session is active again and may play; without, it is
        /// inactive.
        case interruptionEnded(SessionID, shouldResume: Bool)
        /// The interruption is forgotten without an end.
        case interruptionDropped(SessionID, DropReason)
        /// The session's sound goes down to ``Ducking/gain`` within ``Ducking/ramp``.
        case duck(SessionID)
        /// The session's sound comes back within ``Ducking/ramp``.
        case unduck(SessionID)
        /// The session's category, options or overrides are others now: it set them, or overrides reverted.
        case settingsChanged(SessionID, SessionSettings)
        /// The session's sound goes elsewhere now.
        case routeChanged(SessionID, RouteChange)
        /// The sound of the device, which belongs to no session, goes elsewhere now.
        case deviceRouteChanged(RouteChange)
        /// What all sessions together mean for other sounds.
        case activityChanged(SessionActivity)
        /// What the active sessions would like the hardware to do: see ``SessionCoordinator/preferences``.
        case preferencesChanged(SessionPreferences)
    }

    /// Why a session's sound stops.
    public enum StopReason: String, Sendable, Hashable {
        /// The session was interrupted.
        case interruption
        /// The session was deactivated while it played.
        case deactivation
        /// The session was removed, or its client died.
        case removal
        /// What it played through is gone: a headphone was pulled out. The session stays active; the sound is paused.
        case oldDeviceUnavailable
    }

    /// Why an interruption has no end.
    public enum DropReason: String, Sendable, Hashable {
        /// The user accepted it: a call was answered.
        case answered
        /// The session was activated again before the end.
        case reactivated
        /// The session was deactivated before the end.
        case deactivated
        /// The session was removed, or its client died.
        case removed
    }
}
