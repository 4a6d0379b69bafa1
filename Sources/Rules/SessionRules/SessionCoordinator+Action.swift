import RingerPolicy

extension SessionCoordinator {
    /// What the caller has to do.
    package enum Action: Sendable, Hashable {
        /// A client's request was carried out. This action follows all its consequences: other sessions have stopped
        /// before the new one may begin. Each request leads to one of this and ``refused(_:_:)``, in the order of
        /// requests.
        case accepted(SessionID)
        /// A client's request was refused, and changed nothing.
        case refused(SessionID, SessionError)
        /// The session's sounds stop, or pause, at once.
        case stopSound(SessionID, SessionStopReason)
        /// The session became active.
        case activated(SessionID)
        /// The session is inactive: its client deactivated or removed it, or died.
        case deactivated(SessionID)
        /// The session is interrupted.
        case interruptionBegan(SessionID, by: InterruptionCause)
        /// The interruption ended. With `shouldResume` the session is active again and may play; without, it is
        /// inactive.
        case interruptionEnded(SessionID, shouldResume: Bool)
        /// The interruption has no end; the session is inactive, or was activated again.
        case interruptionDropped(SessionID, InterruptionDropReason)
        /// The session's gain falls, as the user's preferences about ducking say.
        case duck(SessionID)
        /// The session's gain rises to 1 again.
        case unduck(SessionID)
        /// The session's category, options or overrides changed: its client set them, or overrides reverted.
        case settingsChanged(SessionID, SessionSettings)
        /// The session's route changed.
        case routeChanged(SessionID, RouteChange)
        /// The route of sounds that belong to no session changed.
        case deviceRouteChanged(RouteChange)
        /// The activity of all sessions together changed.
        case activityChanged(SessionActivity)
        /// The preferences of the active sessions changed: see ``SessionCoordinator/preferences``.
        case preferencesChanged(SessionPreferences)
    }
}
