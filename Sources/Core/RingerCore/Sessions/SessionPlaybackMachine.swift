import SessionRules

/// Runs the coordinator's rules: turns its actions on sessions into actions on the sounds that they play, on the hardware,
/// and into events for subscribers.
struct SessionPlaybackMachine: StateMachine {
    typealias Sound = UInt64

    enum Event: Sendable {
        /// A client's request or a report of the device. A request with a ticket is answered when it was carried out.
        case coordinator(SessionCoordinator.Event, ticket: UInt64? = nil, asksHardware: Bool = true)
        /// The session begins to play the sound of that number.
        case play(SessionID, Sound)
        /// One of the device's own sessions is activated for the sound of that number, and plays it.
        case playOwn(SessionID, Sound)
        /// The sound ended. One of the device's own sessions is deactivated after its last sound.
        case ended(SessionID, Sound)
        /// Something else changed that properties report: volume, lock, switch, preferences.
        case deviceChanged
    }

    enum Action: Sendable {
        case begin(Sound, SoundTerms)
        case refuse(Sound, SessionError)
        /// The sound is silenced before it begins.
        case silence(Sound, Decision.Reason)
        case setTerms([Sound], SoundTerms)
        case stop([Sound], SoundOutcome.StopCause)
        /// Close the PCMs that no sound plays on.
        case releaseOutput
        /// Send these events to the follower and the sessions' subscribers, in this order.
        case tell([(SessionID, SessionEvent)])
        case setActivity(SessionActivity)
        case setDeviceRoute(RouteChange)
        /// Send these events, and judge anew which sessions are audible, once for everything that happened so far: see
        /// ``SessionPlaybackMachine/beginRefresh()``. Events and judgement are sent together: a subscriber wakes up once for
        /// both.
        case refresh(telling: [(SessionID, SessionEvent)])
        /// Open PCMs from now on as near to this as the hardware comes.
        case prefer(SessionPreferences)
        /// Ask the hardware what it grants. A request with a ticket waits for the answer.
        case ask(FormatQuery, ticket: UInt64?)
        /// Complete the request of this ticket.
        case answer(UInt64, SessionError?)
    }

    private(set) var coordinator: SessionCoordinator
    private(set) var sounds: [SessionID: (playing: [Sound], terms: SoundTerms)] = [:]
    /// Whether an ``Action/refresh`` was returned and has not begun. It will cover what happens until then.
    private(set) var isRefreshDue = false

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .coordinator(let event, let ticket, let asksHardware):
            actions += request(event, ticket, asksHardware: asksHardware).actions
        case .play(let id, let sound): actions += play(id, sound)
        case .playOwn(let id, let sound): actions += playOwn(id, sound)
        case .ended(let id, let sound): actions += ended(id, sound)
        // Of every edge: it allocates nothing.
        case .deviceChanged: if mustRefresh() { actions.append(.refresh(telling: [])) }
        }
    }

    /// Whether to return a refresh now. Not where one is due already: one change may lead to many more, and each refresh
    /// judges every session.
    private mutating func mustRefresh() -> Bool {
        defer { isRefreshDue = true }
        return !isRefreshDue
    }

    /// Begins a refresh: later changes need another one.
    mutating func beginRefresh() {
        isRefreshDue = false
    }

    /// Carries out a request.
    ///
    /// - Parameter asksHardware: Whether the hardware is asked what it grants, for those who read the session's properties.
    /// - Returns: The actions, and why the request was refused; nil if it was not.
    mutating func request(
        _ event: SessionCoordinator.Event, _ ticket: UInt64? = nil, asksHardware: Bool = true
    ) -> (actions: [Action], answer: SessionError?) {
        var actions = ActionList()
        var refusal: SessionError?
        let results = coordinator.handle(event)
        for action in results {
            if case .refused(_, let error) = action { refusal = error }
            translate(action, &actions)
        }
        if refusal == nil {
            settleTerms(&actions)
            // A call takes the hardware, and may be another process's.
            switch event {
            case .outsideBegan, .outsideAnswered: actions.sounds.append(.releaseOutput)
            default: break
            }
            if mustRefresh() { actions.refresh() }
        }
        // Other sessions have stopped, or are ducked, before the request is answered.
        if asksHardware, let query = FormatQuery(after: event, results, of: coordinator) {
            actions.append(.ask(query, ticket: ticket))
        } else if let ticket {
            actions.append(.answer(ticket, refusal))
        }
        return (actions.all, refusal)
    }

    /// Actions in order: sounds, then events. Consecutive events are one action, which is carried out much faster than many.
    private struct ActionList {
        var sounds: [Action] = []
        private var others: [Action] = []
        private var told: [(SessionID, SessionEvent)] = []

        mutating func tell(_ id: SessionID, _ event: SessionEvent) {
            told.append((id, event))
        }

        mutating func refresh() {
            others.append(.refresh(telling: told))
            told = []
        }

        mutating func append(_ action: Action) {
            if !told.isEmpty { others.append(.tell(told)) }
            told = []
            others.append(action)
        }

        var all: [Action] { sounds + others + (told.isEmpty ? [] : [.tell(told)]) }
    }

    private mutating func translate(_ action: SessionCoordinator.Action, _ actions: inout ActionList) {
        switch action {
        case .accepted, .refused: break
        case .stopSound(let id, let reason):
            stop(id, reason, &actions)
            actions.tell(id, .soundStopped(reason))
        case .activated(let id): actions.tell(id, .activated)
        case .deactivated(let id): actions.tell(id, .deactivated)
        case .interruptionBegan(let id, let cause): actions.tell(id, .interruptionBegan(by: cause))
        case .interruptionEnded(let id, let shouldResume):
            actions.tell(id, .interruptionEnded(shouldResume: shouldResume))
        case .interruptionDropped(let id, let reason): actions.tell(id, .interruptionDropped(reason))
        case .duck(let id): actions.tell(id, .ducked)
        case .unduck(let id): actions.tell(id, .unducked)
        case .settingsChanged(let id, let settings): actions.tell(id, .settingsChanged(settings))
        case .routeChanged(let id, let change): actions.tell(id, .routeChanged(change))
        case .deviceRouteChanged(let change): actions.append(.setDeviceRoute(change))
        case .activityChanged(let activity): actions.sounds.append(.setActivity(activity))
        case .preferencesChanged(let preferences): actions.append(.prefer(preferences))
        }
    }

    private mutating func stop(
        _ id: SessionID, _ reason: SessionStopReason, _ actions: inout ActionList
    ) {
        guard let playing = sounds[id]?.playing else { return }
        let cause: SoundOutcome.StopCause
        switch reason {
        case .interruption:
            // The rules silence an interrupted session's sounds, with that reason as their outcome.
            guard let terms = terms(for: id) else { return }
            sounds[id]?.terms = terms
            actions.sounds.append(.setTerms(playing, terms))
            return
        case .deactivation: cause = .sessionDeactivated
        case .removal: cause = .sessionRemoved
        case .oldDeviceUnavailable: cause = .oldDeviceUnavailable
        }
        actions.sounds.append(.stop(playing, cause))
    }

    /// Applies changes of gain, route and category to sounds.
    private mutating func settleTerms(_ actions: inout ActionList) {
        for id in sounds.keys.sorted() {
            guard let now = terms(for: id), let entry = sounds[id], entry.terms != now else { continue }
            sounds[id]?.terms = now
            actions.sounds.append(.setTerms(entry.playing, now))
        }
    }

    private func terms(for id: SessionID) -> SoundTerms? {
        guard let session = coordinator.session(id) else { return nil }
        return SoundTerms(
            request: session.request, isDucked: session.isDucked, route: session.route.output,
            session: session.isOwn ? nil : id)
    }

    /// Whether sounds of the session have nowhere to go.
    private func lacksRoute(_ id: SessionID) -> Bool {
        guard let session = coordinator.session(id) else { return true }
        return session.settings.category.plays && session.route.output == nil
    }

    private mutating func play(_ id: SessionID, _ sound: Sound) -> [Action] {
        guard let terms = terms(for: id) else {
            return [.refuse(sound, SessionError(.notInitialized, "play", session: id))]
        }
        if lacksRoute(id) {
            return [.refuse(sound, SessionError(.noHardware, "play", session: id, detail: "the board has no route"))]
        }
        for action in coordinator.handle(.sounding(id, true)) {
            guard case .refused(_, let error) = action else { continue }
            // An interrupted session's sound is silenced by the rules, with that reason.
            if error.code == .notActive && coordinator.session(id)?.isInterrupted == true { continue }
            return [.refuse(sound, error)]
        }
        sounds[id, default: ([], terms)].playing.append(sound)
        sounds[id]?.terms = terms
        return [.begin(sound, terms)] + (mustRefresh() ? [.refresh(telling: [])] : [])
    }

    /// The device's own session of that category and options, made at the first call.
    mutating func ownSession(
        _ category: AudioCategory, _ options: CategoryOptions
    ) -> (actions: [Action], answer: (id: SessionID, isNew: Bool)) {
        let known = coordinator.sessions.first {
            $0.isOwn && $0.settings.category == category && $0.settings.options == options
        }
        if let known { return ([], (known.id, false)) }
        let id = coordinator.unusedID
        let made = request(.make(id, client: .ownSounds, name: category.rawValue)).actions
        return (made + request(.setCategory(id, category, options: options)).actions, (id, true))
    }

    private mutating func playOwn(_ id: SessionID, _ sound: Sound) -> [Action] {
        let session = coordinator.session(id)
        // The sound is refused there without an activation, which would interrupt others for nothing.
        let isRefused = session?.settings.category == .audioProcessing || lacksRoute(id)
        if session?.isActive == true || isRefused { return play(id, sound) }
        // Nobody reads the properties of these sessions.
        let (actions, refusal) = request(.activate(id), asksHardware: false)
        if let refusal {
            guard refusal.code == .notActive else { return [.refuse(sound, refusal)] }
            return [.silence(sound, coordinator.outside.isEmpty ? .sessionPriority : .interruption)]
        }
        return actions + play(id, sound)
    }

    private mutating func ended(_ id: SessionID, _ sound: Sound) -> [Action] {
        sounds[id]?.playing.removeAll { $0 == sound }
        guard sounds[id]?.playing.isEmpty == true else { return [] }
        sounds[id] = nil
        let isOwn = coordinator.session(id)?.isOwn == true
        return request(isOwn ? .deactivate(id) : .sounding(id, false)).actions
    }
}
