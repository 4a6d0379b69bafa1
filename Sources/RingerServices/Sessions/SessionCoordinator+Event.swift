extension SessionCoordinator {
    /// What can happen to sessions: requests of clients, and what the device tells.
    public enum Event: Sendable, Hashable {
        /// A client makes a session. Refused with `init` where there is one of that number.
        case make(SessionID, client: SessionClientID = .local, name: String = "", priority: SessionPriority = .ordinary)
        /// A client removes its session. An active one is deactivated, and tells others that they may resume.
        case remove(SessionID)
        /// A client sets the category, and the options to exactly these.
        case setCategory(SessionID, AudioCategory, options: CategoryOptions = [])
        /// A client sets the options.
        case setOptions(SessionID, CategoryOptions)
        /// A client says whether its session speaks.
        case setSpoken(SessionID, Bool)
        /// A client switches an override on or off.
        case setOverride(SessionID, SessionOverrides, Bool)
        /// A client says what it would like the hardware to do.
        case setPreferences(SessionID, SessionPreferences)
        /// A client activates its session.
        case activate(SessionID)
        /// A client deactivates its session; what it plays is stopped. `notifyOthers` says whether those that it
        /// interrupted may resume.
        case deactivate(SessionID, notifyOthers: Bool = true)
        /// A client begins to play or record, or ends it. Beginning is refused with `!act` while the session is not
        /// active.
        case sounding(SessionID, Bool)

        /// A client is gone, and its sessions with it.
        case clientDied(SessionClientID)
        /// An interruption from outside begins: every session is interrupted, and none can be activated until it is
        /// answered or ends.
        case outsideBegan(OutsideInterruption)
        /// The user accepted it: those that it interrupted are told no end, and wait for none.
        case outsideAnswered(OutsideInterruption)
        /// It ended. `shouldResume` is what the sessions are told.
        case outsideEnded(OutsideInterruption, shouldResume: Bool)
        /// A route came or went, or the device woke.
        case route(RouteModel.Event)
        /// Whether sound can be recorded; nil where it is not known, which forbids nothing.
        case inputAvailable(Bool?)
        /// Whether a process that knows of no sessions plays.
        case outsideAudio(isPlaying: Bool)

        /// The session of a client's request; nil for what the device tells.
        public var request: SessionID? {
            switch self {
            case .make(let id, _, _, _), .remove(let id), .setCategory(let id, _, _), .setOptions(let id, _),
                .setSpoken(let id, _), .setOverride(let id, _, _), .setPreferences(let id, _), .activate(let id),
                .deactivate(let id, _), .sounding(let id, _):
                id
            case .clientDied, .outsideBegan, .outsideAnswered, .outsideEnded, .route, .inputAvailable, .outsideAudio:
                nil
            }
        }
    }
}
