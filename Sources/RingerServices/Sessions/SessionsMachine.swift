/// The coordinator with the sounds that sessions play: what it says about sessions becomes what is to be done with
/// sounds.
struct SessionsMachine: StateMachine {
    typealias Sound = UInt64

    enum Event: Sendable {
        /// A request or what the device tells; a request with a ticket is answered when it was carried out.
        case coordinator(SessionCoordinator.Event, ticket: UInt64? = nil)
        /// The session begins to play the sound of that number.
        case play(SessionID, Sound)
        /// The sound is over.
        case ended(SessionID, Sound)
        /// Something else changed that properties tell.
        case deviceChanged
        /// The hardware was asked, on behalf of the request of this ticket.
        case asked(ticket: UInt64)
    }

    enum Action: Sendable {
        case begin(SessionID, Sound, SoundTerms)
        case refuse(Sound, SessionError)
        case setTerms([Sound], SoundTerms)
        case stop([Sound], SoundOutcome.StopCause)
        /// Properties are to have the values that they have now: whoever is told next may look at them.
        case update([SessionID: [RouteChange]])
        /// Sessions are to be told, in this order.
        case tell([(SessionID, SessionEvent)])
        case setActivity(SessionActivity)
        case setDeviceRoute(RouteChange)
        /// Everything else that sessions tell of themselves is to be looked at again, once for all that happened so far:
        /// see ``SessionsMachine/beginRefresh()``.
        /// Sessions are told these events on the way, before what comes of it: a subscriber is woken once for both.
        case refresh(telling: [(SessionID, SessionEvent)])
        /// What is opened from now on is to be as near to this as the hardware comes.
        case prefer(SessionPreferences)
        /// The hardware is to be asked what it grants. A request with a ticket waits for what it says.
        case ask(SessionsQuestion, ticket: UInt64?)
        /// The request of this ticket was carried out, or refused.
        case answer(UInt64, SessionError?)
    }

    private(set) var coordinator: SessionCoordinator
    private var sounds: [SessionID: (playing: [Sound], terms: SoundTerms)] = [:]
    /// Whether an asked-for ``Action/refresh`` has not begun: it will see what happens until then.
    private var isRefreshDue = false

    init(board: RouteBoard) {
        coordinator = SessionCoordinator(board: board)
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .coordinator(let event, let ticket): return request(event, ticket).actions
        case .play(let id, let sound): return play(id, sound)
        case .ended(let id, let sound): return ended(id, sound)
        case .deviceChanged: return mustRefresh() ? [.refresh(telling: [])] : []
        case .asked(let ticket): return [.answer(ticket, nil)]
        }
    }

    /// Whether a refresh is to be asked for now. Where one is about to come, it is not: what one change leads to may be
    /// many more, and each refresh looks at every session.
    private mutating func mustRefresh() -> Bool {
        defer { isRefreshDue = true }
        return !isRefreshDue
    }

    /// Begins a refresh: what changes from now on asks for another one.
    mutating func beginRefresh() {
        isRefreshDue = false
    }

    /// Carries out a request.
    ///
    /// - Returns: What is to be done, and why the request was refused; nil where it was not.
    mutating func request(
        _ event: SessionCoordinator.Event, _ ticket: UInt64? = nil
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
            if mustRefresh() { actions.refresh() }
        }
        // Others have stopped, or gone down, before the one who asked is told.
        let question = SessionsQuestion(after: event, results, of: coordinator)
        if !question.isEmpty {
            actions.append(.ask(question, ticket: ticket))
            return (actions.all, refusal)
        }
        if let ticket { actions.append(.answer(ticket, refusal)) }
        return (actions.all, refusal)
    }

    /// Actions in order: what is heard first, then properties, then what is told. What sessions are told one after another
    /// is one action, which is carried out much faster.
    private struct ActionList {
        private var sounds: [Action] = []
        private var others: [Action] = []
        private var told: [(SessionID, SessionEvent)] = []
        private var routeChanges: [SessionID: [RouteChange]] = [:]
        private var isTold = false

        /// Adds what is to be done with sounds.
        mutating func sound(_ action: Action) {
            sounds.append(action)
        }

        mutating func tell(_ id: SessionID, _ event: SessionEvent) {
            if case .routeChanged(let change) = event { routeChanges[id, default: []].append(change) }
            told.append((id, event))
            isTold = true
        }

        mutating func refresh() {
            others.append(.refresh(telling: told))
            told = []
        }

        mutating func append(_ action: Action) {
            if !told.isEmpty { others.append(.tell(told)) }
            told = []
            if case .setDeviceRoute = action { isTold = true }
            others.append(action)
        }

        var all: [Action] {
            sounds + (isTold ? [.update(routeChanges)] : []) + others + (told.isEmpty ? [] : [.tell(told)])
        }
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
        case .activityChanged(let activity): actions.sound(.setActivity(activity))
        case .preferencesChanged(let preferences): actions.append(.prefer(preferences))
        }
    }

    private mutating func stop(
        _ id: SessionID, _ reason: SessionCoordinator.StopReason, _ actions: inout ActionList
    ) {
        guard let playing = sounds[id]?.playing else { return }
        let cause: SoundOutcome.StopCause
        switch reason {
        case .interruption:
            // The rules silence what belongs to an interrupted session, and the sound's outcome says so.
            guard let terms = terms(for: id) else { return }
            sounds[id]?.terms = terms
            actions.sound(.setTerms(playing, terms))
            return
        case .deactivation: cause = .sessionDeactivated
        case .removal: cause = .sessionRemoved
        case .oldDeviceUnavailable: cause = .oldDeviceUnavailable
        }
        actions.sound(.stop(playing, cause))
    }

    /// Tells sounds what changed for them: a gain, a route, a category.
    private mutating func settleTerms(_ actions: inout ActionList) {
        for id in sounds.keys.sorted() {
            guard let now = terms(for: id), let entry = sounds[id], entry.terms != now else { continue }
            sounds[id]?.terms = now
            actions.sound(.setTerms(entry.playing, now))
        }
    }

    private func terms(for id: SessionID) -> SoundTerms? {
        guard let session = coordinator.session(id), let request = coordinator.request(for: id) else { return nil }
        return SoundTerms(request: request, level: session.isDucked ? Ducking.gain : 1, route: session.route.output)
    }

    private mutating func play(_ id: SessionID, _ sound: Sound) -> [Action] {
        guard let terms = terms(for: id) else {
            return [.refuse(sound, SessionError(.notInitialized, "play", session: id))]
        }
        guard terms.route != nil else {
            return [.refuse(sound, SessionError(.noHardware, "play", session: id, detail: "the board has no route"))]
        }
        for action in coordinator.handle(.sounding(id, true)) {
            // An interrupted session's sound is silenced by the rules, with that reason.
            guard case .refused(_, let error) = action, coordinator.session(id)?.isInterrupted != true else { continue }
            return [.refuse(sound, error)]
        }
        sounds[id, default: ([], terms)].playing.append(sound)
        sounds[id]?.terms = terms
        return [.begin(id, sound, terms)] + (mustRefresh() ? [.refresh(telling: [])] : [])
    }

    private mutating func ended(_ id: SessionID, _ sound: Sound) -> [Action] {
        sounds[id]?.playing.removeAll { $0 == sound }
        guard sounds[id]?.playing.isEmpty == true else { return [] }
        sounds[id] = nil
        return request(.sounding(id, false)).actions
    }
}
