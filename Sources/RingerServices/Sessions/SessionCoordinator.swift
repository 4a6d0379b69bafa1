/// Arbitrates all sessions of the device: who plays, who is interrupted, who goes down, who is refused, and where each
/// one's sound goes.
///
/// A value: events come in, actions come out, in order. Sessions are known by number and clients by theirs, so that a
/// client may be another process. A request that is refused leaves the coordinator equal to what it was.
///
/// An interrupted session waits until everything that interrupted it is over. Then, where all of it left it free to
/// resume, it is active again and told so; where not, it is inactive and told so. Sessions that may resume at the same
/// moment do so one after another, the most important and then the newest first, and one that would have to be
/// interrupted again at once keeps waiting instead.
public struct SessionCoordinator: StateMachine, Hashable {
    /// The sessions, by number.
    public internal(set) var sessions: [SessionState] = []
    /// The interruptions from outside that are under way.
    public internal(set) var outside: [OutsideInterruption] = []
    /// The routes that are there.
    public internal(set) var routes: RouteModel
    /// Whether sound can be recorded; nil where it is not known.
    public internal(set) var isInputAvailable: Bool?
    /// Whether a process that knows of no sessions plays.
    public internal(set) var isOutsideAudioPlaying = false
    /// What all sessions together mean for other sounds.
    public internal(set) var activity: SessionActivity = []
    /// Where the sound of the device goes that belongs to no session: with the session that leads.
    public internal(set) var deviceRoute: SessionRoute
    /// What the hardware is to be asked for: of the active sessions that prefer a rate, the one that leads has its way,
    /// and so with the duration of the buffer. A session that is not active, or is interrupted, has no say.
    public internal(set) var preferences = SessionPreferences()

    /// How many activations there were.
    var activations: UInt64 = 0
    /// How many sessions sound now.
    var soundingCount = 0
    private var highestID: UInt64 = 0

    /// A coordinator without sessions, on the routes of `board`.
    public init(board: RouteBoard = .speakerOnly) {
        routes = RouteModel(board: board)
        deviceRoute = routes.route(for: SessionSettings())
    }

    /// Takes in what happened, and says what is to be done, in order.
    public mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        do throws(SessionError) {
            let reason = try take(event, &actions)
            settle(reason, &actions)
        } catch {
            return [.refused(event.request ?? SessionID(rawValue: 0), error)]
        }
        if let id = event.request { actions.append(.accepted(id)) }
        return actions
    }

    /// A number that no session of this coordinator had.
    public var unusedID: SessionID { SessionID(rawValue: highestID + 1) }

    /// The session of number `id`; nil where there is none.
    public func session(_ id: SessionID) -> SessionState? {
        index(of: id).map { sessions[$0] }
    }

    /// The place of `id` among ``sessions``, found in as many steps as their count has binary digits.
    func index(of id: SessionID) -> Int? {
        let index = firstIndex(from: id)
        return index < sessions.count && sessions[index].id == id ? index : nil
    }

    private func firstIndex(from id: SessionID) -> Int {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ session: SessionState) {
        sessions.insert(session, at: firstIndex(from: session.id))
        highestID = max(highestID, session.id.rawValue)
    }

    /// The session that matters most among the active ones, and among equals the newest; nil where none is active.
    public var leader: SessionState? {
        leaderIndex { _ in true }.map { sessions[$0] }
    }

    func leaderIndex(where condition: (SessionState) -> Bool) -> Int? {
        var leader: Int?
        for index in sessions.indices where sessions[index].isActive && condition(sessions[index]) {
            if let best = leader, sessions[best].leads(sessions[index]) { continue }
            leader = index
        }
        return leader
    }
}

// What the rules need to know.
extension SessionCoordinator {
    /// The sound that the session `id` wants heard, as ``RingerPolicy`` asks; nil where there is no such session.
    public func request(for id: SessionID) -> SoundRequest? {
        index(of: id).map { request(for: sessions[$0]) }
    }

    func request(for session: SessionState) -> SoundRequest {
        var options = session.settings.effectiveOptions
        // A board without a receiver plays calls on the speaker, and the policy does not know the board.
        if session.route.output == .speaker { options.insert(.defaultToSpeaker) }
        return .session(session.settings.category, options: options, isInterrupted: session.isInterrupted)
    }

    /// The device's state as the rules must see it for the session `id`: with the sessions' activity, and the
    /// session's own route. Where `id` is nil or no session, with the device's route.
    public func state(for id: SessionID?, in state: DeviceState) -> DeviceState {
        var state = state
        state.sessions.formUnion(activity)
        let route = id.flatMap { index(of: $0) }.map { sessions[$0].route } ?? deviceRoute
        if let output = route.output { state.route = output }
        return state
    }

    /// Decides what becomes of the sound of session `id`. It allocates nothing.
    ///
    /// - Returns: The decision, whether or not the session is active; nil where there is no such session.
    public func decide(
        _ id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences()
    ) -> Decision? {
        guard let request = request(for: id) else { return nil }
        return RingerPolicy.decide(request, state: self.state(for: id, in: state), preferences: preferences)
    }

    /// Whether the session `id` is active and its sound would be heard.
    public func isAudible(
        _ id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences()
    ) -> Bool {
        guard let index = index(of: id), sessions[index].isActive, sessions[index].route.output != nil else {
            return false
        }
        return decide(id, state: state, preferences: preferences)?.isHeard ?? false
    }

    /// The name of the session's route, as property `rout` tells it: empty while the Ring/Silent switch silences the
    /// session, whether or not it is active, locked out or interrupted; empty too where there is no such session.
    public func routeName(
        _ id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences()
    ) -> String {
        guard let index = index(of: id) else { return "" }
        var session = sessions[index]
        session.phase = .inactive
        var state = self.state(for: id, in: state)
        state.isScreenLocked = false
        state.sessions = []
        let decision = RingerPolicy.decide(request(for: session), state: state, preferences: preferences)
        return decision == .silence(.ringSilentSwitch) ? "" : session.route.name
    }

    /// Whether another session than `id`, or a process that knows of no sessions, plays now.
    public func isOtherAudioPlaying(beside id: SessionID) -> Bool {
        let own = index(of: id).map { sessions[$0].isSounding } ?? false
        return isOutsideAudioPlaying || soundingCount > (own ? 1 : 0)
    }
}
