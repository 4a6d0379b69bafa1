import Synchronization

/// What each session's handle reads: its properties, its listeners, its events.
final class SessionTable: Sendable {
    /// What everything that sessions tell follows from, at one moment.
    struct Snapshot: Sendable {
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
        let queues = SessionListenerQueues()
        let events = Broadcast<SessionEvent>()
        /// What was last told of whether the session is heard; nil while it is not active.
        var decision: Decision?
        /// The newest of the client data that this process makes up itself.
        var ownClientData = UInt.max
    }

    /// How many events a subscriber may be behind before it loses the oldest.
    static let eventBuffer = 1024

    private let entries = Mutex<[SessionID: Entry]>([:])

    func add(_ id: SessionID, _ entry: Entry) {
        entries.withLock { $0[id] = entry }
    }

    func remove(_ id: SessionID) {
        let entry = entries.withLock { $0.removeValue(forKey: id) }
        entry?.events.finish()
    }

    /// Ends every stream.
    func finish() {
        let all = entries.withLock { entries in
            defer { entries = [:] }
            return Array(entries.values)
        }
        for entry in all { entry.events.finish() }
    }

    func name(of id: SessionID) -> String { entries.withLock { $0[id]?.name ?? "" } }

    /// Reads or changes the entry of `id`; nil where there is none any more.
    func with<Result: Sendable>(
        _ id: SessionID, _ body: (inout Entry) throws(SessionError) -> Result
    ) throws(SessionError) -> Result? {
        let result: Swift.Result<Result?, SessionError> = entries.withLock { entries in
            guard var entry = entries[id] else { return .success(nil) }
            do throws(SessionError) {
                let result = try body(&entry)
                entries[id] = entry
                return .success(result)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Tells the listeners of `id`.
    func tell(_ changes: [SessionPropertyChange], of id: SessionID) {
        entries.withLock { entries in
            if let entry = entries[id] { Self.tell(changes, entry) }
        }
    }

    private static func tell(_ changes: [SessionPropertyChange], _ entry: Entry) {
        if entry.listeners.isEmpty { return }
        for change in changes { entry.queues.tell(change, to: entry.listeners.listeners(of: change.property)) }
    }

    /// Tells the subscribers of `id`.
    func tell(_ event: SessionEvent, to id: SessionID) {
        let events = entries.withLock { $0[id]?.events }
        events?.send(event)
    }

    /// Looks at everything again that sessions tell of themselves, and tells listeners what changed.
    ///
    /// - Parameters:
    ///   - routeChange: A session's route that has just changed.
    ///   - snapshot: What is so now; it is read while nobody else looks, so that the newest comes last.
    /// - Returns: The sessions that are heard now and were not, or the other way round, in the order of their numbers.
    func refresh(
        routeChange: (id: SessionID, change: RouteChange)? = nil, _ snapshot: () -> Snapshot
    ) -> [(SessionID, SessionEvent)] {
        entries.withLock { entries in
            let now = snapshot()
            var told: [(SessionID, SessionEvent)] = []
            for session in now.coordinator.sessions {
                guard var entry = entries.removeValue(forKey: session.id) else { continue }
                defer { entries[session.id] = entry }
                if let facts = now.coordinator.facts(
                    for: session.id, hardware: now.hardware, state: now.state, preferences: now.preferences)
                {
                    let change = routeChange.flatMap { $0.id == session.id ? $0.change : nil }
                    Self.tell(entry.properties.update(facts, routeChange: change), entry)
                }
                let decision =
                    session.isActive
                    ? now.coordinator.decide(session.id, state: now.state, preferences: now.preferences) : nil
                defer { entry.decision = decision }
                guard let decision else { continue }
                if decision.isHeard {
                    if entry.decision?.isHeard != true { told.append((session.id, .audible)) }
                } else if entry.decision?.isHeard != false || entry.decision?.reason != decision.reason {
                    told.append((session.id, .silenced(by: decision.reason)))
                }
            }
            return told
        }
    }
}
