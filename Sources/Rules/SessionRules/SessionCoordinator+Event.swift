import RingerPolicy

extension SessionCoordinator {
    /// What can happen: requests of clients, and reports of the device.
    package enum Event: Sendable, Hashable {
        /// A client makes a session. Refused with `init` if the number is taken.
        case make(SessionID, client: SessionClientID = .local, name: String = "", priority: SessionPriority = .ordinary)
        /// A client removes its session. An active one is deactivated, and others may resume.
        case remove(SessionID)
        /// A client sets the category, and the options to exactly these.
        case setCategory(SessionID, AudioCategory, options: CategoryOptions = [])
        /// A client sets the options.
        case setOptions(SessionID, CategoryOptions)
        /// A client sets whether its session speaks.
        case setSpoken(SessionID, Bool)
        /// A client reports whether its application is in the background.
        case setInBackground(SessionID, Bool)
        /// A client sets whether its session uses a hardware codec: such a session is activated only after its category was
        /// set.
        case setUsesHardwareCodec(SessionID, Bool)
        /// A client switches an override on or off.
        case setOverride(SessionID, SessionOverrides, Bool)
        /// A client sets the sample rate and buffer duration that its session prefers.
        case setPreferences(SessionID, SessionPreferences)
        /// A client activates its session, at that time in nanoseconds of CLOCK_MONOTONIC; if nil, right after the last
        /// activation.
        case activate(SessionID, at: UInt64? = nil)
        /// A client has a session that an arbiter before this one activated at that time. It becomes active or interrupted
        /// beside those that are here already, as if all had been activated in the order of their times. One that was activated
        /// here since is left alone, unless `evenIfActivated`.
        case resume(SessionID, since: UInt64, evenIfActivated: Bool = false)
        /// A client deactivates its session; its sounds stop. With `notifyOthers` the sessions that it interrupted
        /// may resume.
        case deactivate(SessionID, notifyOthers: Bool = true)
        /// A client begins or ends playing or recording. Beginning is refused with `!cat` in `audioProcessing`, and with
        /// `!act` while the session is not active.
        case sounding(SessionID, Bool)

        /// A client died; its sessions are removed.
        case clientDied(SessionClientID)
        /// An interruption from outside begins: every session is interrupted, and none can be activated until it is
        /// answered or ends.
        case outsideBegan(OutsideInterruption)
        /// The user accepted it: the sessions that it interrupted become inactive.
        case outsideAnswered(OutsideInterruption)
        /// It ended. With `shouldResume` the sessions that it interrupted resume.
        case outsideEnded(OutsideInterruption, shouldResume: Bool)
        /// A route came or went, or the device woke from sleep.
        case route(RouteModel.Event)
        /// Whether sound can be recorded; nil if it is not known, which refuses nothing.
        case inputAvailable(Bool?)
        /// Whether a process that has no session here plays.
        case outsideAudio(isPlaying: Bool)
        /// The service that arbitrates these sessions decided about one of them.
        case judged(SessionID, SessionVerdict)

        /// The request in words, for errors: "activate".
        package var operation: String {
            switch self {
            case .make: "make the session"
            case .remove: "remove"
            case .setCategory: "set the category"
            case .setOptions: "set the options"
            case .setSpoken: "set whether it speaks"
            case .setInBackground: "set whether it is in the background"
            case .setUsesHardwareCodec: "use a hardware codec"
            case .setOverride: "set an override"
            case .setPreferences: "set a preference"
            case .activate, .resume: "activate"
            case .deactivate: "deactivate"
            case .sounding: "play"
            case .clientDied, .outsideBegan, .outsideAnswered, .outsideEnded, .route, .inputAvailable, .outsideAudio,
                .judged:
                "report"
            }
        }

        /// The session of a client's request; nil for reports of the device.
        package var request: SessionID? {
            switch self {
            case .make(let id, _, _, _), .remove(let id), .setCategory(let id, _, _), .setOptions(let id, _),
                .setSpoken(let id, _), .setInBackground(let id, _), .setUsesHardwareCodec(let id, _),
                .setOverride(let id, _, _),
                .setPreferences(let id, _), .activate(let id, _), .resume(let id, _, _),
                .deactivate(let id, _), .sounding(let id, _):
                id
            case .clientDied, .outsideBegan, .outsideAnswered, .outsideEnded, .route, .inputAvailable, .outsideAudio,
                .judged:
                nil
            }
        }
    }
}
