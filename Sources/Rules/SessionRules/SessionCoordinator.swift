import RingerPolicy

/// Arbitrates between all sessions of the device: which play, are interrupted, ducked or refused, and their routes.
///
/// A value: events go in, actions come out, in order. Sessions and clients are known by number, so that a client may be
/// another process. A refused request leaves the coordinator equal to what it was.
///
/// An interrupted session waits until all its interruptions ended. Then, where all of them allow it to resume, it is active
/// again; where not, it is inactive. Sessions that may resume at the same moment do so one after another, the highest
/// priority and then the newest first, and one that would be interrupted again at once keeps waiting instead.
package struct SessionCoordinator: Sendable, Hashable {
    /// The sessions, by number.
    package internal(set) var sessions: [SessionState] = []
    /// The interruptions from outside that are under way.
    package internal(set) var outside: [OutsideInterruption] = []
    /// The routes.
    package internal(set) var routes: RouteModel
    /// Whether sound can be recorded; nil if it is not known.
    package var isInputAvailable: Bool? { routes.isInputAvailable }
    /// Whether a process that has no session here plays.
    package internal(set) var isOutsideAudioPlaying = false
    /// The activity of all sessions together.
    package internal(set) var activity: SessionActivity = []
    /// The route of sounds that belong to no session: that of the session that leads.
    package internal(set) var deviceRoute: SessionRoute
    /// The preferences in force. Of the active sessions that prefer a sample rate the one that leads decides it, and likewise
    /// the buffer duration. Sessions that are inactive or interrupted do not count.
    package internal(set) var preferences = SessionPreferences()

    /// Whether a service arbitrates these sessions, with those of other processes: here they all play beside each other, and
    /// ``Event/judged(_:_:)`` brings what it decided.
    let isArbitratedElsewhere: Bool
    /// The time of the last activation, in nanoseconds of CLOCK_MONOTONIC. Each is later than the one before.
    var lastActivation: UInt64
    /// How many sessions sound now.
    var soundingCount = 0
    private var highestID: UInt64 = 0

    /// A coordinator without sessions, on the routes of `board`, made at a time in nanoseconds of CLOCK_MONOTONIC.
    package init(board: RouteBoard = .speakerOnly, isArbitratedElsewhere: Bool = false, at time: UInt64 = 0) {
        self.isArbitratedElsewhere = isArbitratedElsewhere
        lastActivation = time
        routes = RouteModel(board: board)
        deviceRoute = routes.route(for: SessionSettings())
    }

    /// Takes in an event, and returns what the caller has to do, in order.
    package mutating func handle(_ event: Event) -> [Action] {
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

    /// Why `event` would be refused now; nil if it would not.
    package func refusal(of event: Event) -> SessionError? {
        var trial = self
        for case .refused(_, let error) in trial.handle(event) { return error }
        return nil
    }

    /// A number that no session of this coordinator had.
    package var unusedID: SessionID { SessionID(rawValue: highestID + 1) }

    /// The session of number `id`; nil if there is none.
    package func session(_ id: SessionID) -> SessionState? {
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

    /// The active session of the highest priority, and among equals the newest; nil if none is active.
    package var leader: SessionState? {
        leaderIndex { _ in true }.map { sessions[$0] }
    }

    /// The active session that records, of several the one of the highest priority, and among equals the newest.
    package var recorder: SessionState? {
        leaderIndex { $0.settings.category.records }.map { sessions[$0] }
    }

    func leaderIndex(where condition: (SessionState) -> Bool) -> Int? {
        var leader: Int?
        for index in sessions.indices where sessions[index].isActive && condition(sessions[index]) {
            if let best = leader, leads(best, index) { continue }
            leader = index
        }
        return leader
    }

    /// Whether the session at `one` has the higher priority, or the same and is newer. By index: copying sessions to compare
    /// them costs more than the comparison.
    func leads(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (sessions[one].priority, sessions[other].priority)
        return first == second ? sessions[one].activation > sessions[other].activation : first > second
    }
}
