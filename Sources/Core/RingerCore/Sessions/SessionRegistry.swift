import SessionRules
import Synchronization

/// Follows the sessions of a device: a part of the program that is linked only where it is used, such as the listeners of
/// properties.
package protocol SessionFollower: AnyObject, Sendable {
    /// The facts of sessions may have changed, or routes did. An effect of the change, before the sessions' own subscribers
    /// get their events.
    ///
    /// - Parameters:
    ///   - routeChanges: The changes of sessions' routes since the last call, the oldest first.
    ///   - snapshot: Returns the newest snapshot; it may be called under the follower's lock.
    func sessionsChanged(_ routeChanges: [SessionID: [RouteChange]], _ snapshot: () -> SessionSnapshot)

    /// The session was removed.
    func sessionRemoved(_ id: SessionID)

    /// The device was closed.
    func sessionsClosed()
}

/// The sessions that have a handle, their subscribers, and the last decision that subscribers received. Any thread.
final class SessionRegistry: Sendable {
    private struct Entry: Sendable {
        let name: String
        let events = Broadcast<SessionEvent>()
        /// The last decision that subscribers received; nil while the session is not active.
        var decision: Decision?
    }

    /// How many events a subscriber may be behind before it loses the oldest.
    static let eventBuffer = 1024

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// The snapshot from which decisions were last taken; nil if a session was added since.
        var judged: SessionSnapshot?
        var follower: (any SessionFollower)?
    }

    private let core: Core
    private let state = Mutex(State())

    init(_ core: Core) {
        self.core = core
    }

    /// Adds the session `id`.
    func add(_ id: SessionID, name: String) {
        state.withLock { state in
            state.entries[id] = Entry(name: name)
            state.judged = nil
        }
    }

    func remove(_ id: SessionID) {
        let (entry, follower) = state.withLock { ($0.entries.removeValue(forKey: id), $0.follower) }
        core.perform {
            entry?.events.finish()
            follower?.sessionRemoved(id)
        }
    }

    /// Ends every stream.
    func finish() {
        let (all, follower) = state.withLock { state in
            defer { state.entries = [:] }
            return (Array(state.entries.values), state.follower)
        }
        core.perform {
            for entry in all { entry.events.finish() }
            follower?.sessionsClosed()
        }
    }

    /// Whether the session is there, and the device was not closed.
    func contains(_ id: SessionID) -> Bool { state.withLock { $0.entries[id] != nil } }

    /// A new subscription to the events of session `id`; one that has ended where there is no such session.
    func events(of id: SessionID) -> AsyncStream<SessionEvent> {
        guard let events = state.withLock({ $0.entries[id]?.events }) else { return AsyncStream { $0.finish() } }
        return events.subscribe(buffering: .bufferingNewest(Self.eventBuffer))
    }

    /// The names of sessions, and their subscribers; nil for sessions that were removed.
    func recipients(_ ids: [SessionID]) -> [(name: String, events: Broadcast<SessionEvent>)?] {
        state.withLock { state in
            ids.map { id in
                state.entries.index(forKey: id).map { (state.entries.values[$0].name, state.entries.values[$0].events) }
            }
        }
    }

    /// The follower, which `make` makes at the first call.
    func follower(_ make: () -> any SessionFollower) -> any SessionFollower {
        state.withLock { state in
            if let follower = state.follower { return follower }
            let follower = make()
            state.follower = follower
            return follower
        }
    }

    /// Whether there is a session, or a follower.
    var isObserved: Bool { state.withLock { !$0.entries.isEmpty || $0.follower != nil } }

    /// Reports a change to the follower, if there is one.
    func follow(_ routeChanges: [SessionID: [RouteChange]], _ snapshot: @escaping @Sendable () -> SessionSnapshot) {
        guard let follower = state.withLock({ $0.follower }) else { return }
        core.perform { follower.sessionsChanged(routeChanges, snapshot) }
    }

    /// Judges every session anew.
    ///
    /// - Parameter snapshot: Returns the newest snapshot.
    /// - Returns: `audible` and `silenced` for sessions whose decision changed, in the order of their numbers.
    func judge(_ snapshot: () -> SessionSnapshot) -> [(SessionID, SessionEvent)] {
        state.withLock { state in
            // At an edge every step counts, and a snapshot costs more than the rest of it.
            if state.entries.isEmpty { return [] }
            let now = snapshot()
            return state.judged == now ? [] : Self.judge(&state, now)
        }
    }

    private static func judge(_ state: inout State, _ now: SessionSnapshot) -> [(SessionID, SessionEvent)] {
        state.judged = now
        var conditions = now.conditions
        var events: [(SessionID, SessionEvent)] = []
        for session in now.coordinator.sessions {
            guard let index = state.entries.index(forKey: session.id) else { continue }
            let decision = session.isActive ? conditions.decision(on: session) : nil
            let before = state.entries.values[index].decision
            if decision == before { continue }
            state.entries.values[index].decision = decision
            guard let decision else { continue }
            if decision.isHeard {
                if before?.isHeard != true { events.append((session.id, .audible)) }
            } else if before?.isHeard != false || before?.reason != decision.reason {
                events.append((session.id, .silenced(by: decision.reason)))
            }
        }
        return events
    }
}
