import Synchronization

/// What each session's handle reads: its properties, its listeners, its events.
final class SessionTable: Sendable {
    /// What everything that sessions tell follows from, at one moment.
    struct Snapshot: Sendable, Equatable {
        var coordinator: SessionCoordinator
        var state: DeviceState
        var preferences: UserPreferences
        var hardware: SessionHardware
    }

    /// One session.
    struct Entry: Sendable {
        let name: String
        var properties: SessionPropertyStore
        var listeners = SessionListeners<UInt>()
        let queues: SessionListenerQueues
        let events = Broadcast<SessionEvent>()
        /// What was last told of whether the session is heard; nil while it is not active.
        var decision: Decision?
        /// The newest of the client data that this process makes up itself.
        var ownClientData = UInt.max
    }

    /// How many events a subscriber may be behind before it loses the oldest.
    static let eventBuffer = 1024

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// What was so when properties were last updated, and when it was last looked who is heard; nil where a session
        /// came since.
        var updated: Snapshot?
        var looked: Snapshot?
    }

    private let state = Mutex(State())
    private let threads: ListenerThreads

    /// No sessions; `report` is told where listeners cannot be called.
    init(report: @escaping @Sendable (RingerError) -> Void) {
        threads = ListenerThreads(report: report)
    }

    /// Adds the session `id`.
    func add(_ id: SessionID, name: String, properties: SessionPropertyStore) {
        add(id, Entry(name: name, properties: properties, queues: SessionListenerQueues(threads: threads)))
    }

    private func add(_ id: SessionID, _ entry: Entry) {
        state.withLock { state in
            state.entries[id] = entry
            state.updated = nil
            state.looked = nil
        }
    }

    func remove(_ id: SessionID) {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        entry?.events.finish()
    }

    /// Ends every stream.
    func finish() {
        let all = state.withLock { state in
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        for entry in all { entry.events.finish() }
    }

    /// The names of sessions, and where their events go; nil for those that are gone.
    func recipients(_ ids: [SessionID]) -> [(name: String, events: Broadcast<SessionEvent>)?] {
        state.withLock { state in
            ids.map { id in
                state.entries.index(forKey: id).map { (state.entries.values[$0].name, state.entries.values[$0].events) }
            }
        }
    }

    /// Reads or changes the entry of `id`; nil where there is none any more.
    func with<Result: Sendable>(
        _ id: SessionID, _ body: (inout Entry) throws(SessionError) -> Result
    ) throws(SessionError) -> Result? {
        let result: Swift.Result<Result?, SessionError> = state.withLock { state in
            guard var entry = state.entries[id] else { return .success(nil) }
            do throws(SessionError) {
                let result = try body(&entry)
                state.entries[id] = entry
                return .success(result)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Tells the listeners of `id`.
    func tell(_ changes: [SessionPropertyChange], of id: SessionID) {
        state.withLock { state in
            if let entry = state.entries[id] { Self.tell(changes, entry) }
        }
        threads.go()
    }

    private static func tell(_ changes: [SessionPropertyChange], _ entry: Entry) {
        if entry.listeners.isEmpty { return }
        for change in changes { entry.queues.tell(change, to: entry.listeners.listeners(of: change.property)) }
    }

    /// Gives every session's properties their values of now, and tells listeners what changed.
    ///
    /// - Parameters:
    ///   - routeChanges: The changes of sessions' routes that have just happened, the oldest first.
    ///   - snapshot: What is so now; it is read while nobody else looks, so that the newest comes last.
    func update(routeChanges: [SessionID: [RouteChange]], _ snapshot: () -> Snapshot) {
        state.withLock { state in
            let now = snapshot()
            if !routeChanges.isEmpty || state.updated != now { Self.update(&state, now, routeChanges) }
        }
        threads.go()
    }

    /// Looks at everything again that sessions tell of themselves, and tells listeners what changed.
    ///
    /// - Parameter snapshot: What is so now; it is read while nobody else looks, so that the newest comes last.
    /// - Returns: The sessions that are heard now and were not, or the other way round, in the order of their numbers.
    func refresh(_ snapshot: () -> Snapshot) -> [(SessionID, SessionEvent)] {
        defer { threads.go() }
        return state.withLock { state in
            let now = snapshot()
            if state.updated != now { Self.update(&state, now, [:]) }
            return state.looked == now ? [] : Self.look(&state, now)
        }
    }

    private static func update(_ state: inout State, _ now: Snapshot, _ routeChanges: [SessionID: [RouteChange]]) {
        state.updated = now
        var survey = SessionSurvey(now)
        for session in now.coordinator.sessions {
            guard let index = state.entries.index(forKey: session.id) else { continue }
            let facts = survey.facts(of: session)
            let routeChanges = routeChanges[session.id] ?? []
            // Where several routes came and went, each is told, the facts as they are now.
            for routeChange in routeChanges.isEmpty ? [nil] : routeChanges.map(Optional.some) {
                let changes = state.entries.values[index].properties.update(facts, routeChange: routeChange)
                if !changes.isEmpty { tell(changes, state.entries.values[index]) }
            }
        }
    }

    private static func look(_ state: inout State, _ now: Snapshot) -> [(SessionID, SessionEvent)] {
        state.looked = now
        var survey = SessionSurvey(now)
        var told: [(SessionID, SessionEvent)] = []
        for session in now.coordinator.sessions {
            guard let index = state.entries.index(forKey: session.id) else { continue }
            let decision = survey.decision(on: session)
            let before = state.entries.values[index].decision
            if decision == before { continue }
            state.entries.values[index].decision = decision
            guard let decision else { continue }
            if decision.isHeard {
                if before?.isHeard != true { told.append((session.id, .audible)) }
            } else if before?.isHeard != false || before?.reason != decision.reason {
                told.append((session.id, .silenced(by: decision.reason)))
            }
        }
        return told
    }
}
