import FourCharacterCodes
import RingerCore
import SessionRules
import Synchronization

/// The listeners of all sessions of a device: follows the sessions, and notifies listeners of the properties that changed.
/// Any thread.
final class SessionPropertyFollower: SessionFollower {
    /// The listeners of one session.
    struct Entry: Sendable {
        /// The properties as listeners know them.
        var properties: SessionPropertyStore
        var listeners = SessionListeners<UInt>()
        let queues: SessionListenerQueues
        /// The newest client data of ``AudioSession/changes(of:)``, counted down from the largest number.
        var ownClientData = UInt.max
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        /// The snapshot of the last notifications; nil if a session got its first listener since.
        var snapshot: SessionSnapshot?
    }

    private let state = Mutex(State())
    private let threads: ListenerThreads

    private init(report: @escaping @Sendable (RingerError) -> Void) {
        threads = ListenerThreads(report: report)
    }

    /// The listeners of the sessions of `service`.
    static func of(_ service: AudioSessions) -> SessionPropertyFollower? {
        service.follower { SessionPropertyFollower(report: service.reportDegraded) } as? SessionPropertyFollower
    }

    /// Reads or changes the listeners of `session`.
    ///
    /// - Throws: ``SessionError/Code/notInitialized`` where the device was closed, and what `body` throws.
    func with<Value: Sendable>(
        _ session: AudioSession, _ operation: String,
        _ body: (inout Entry) throws(SessionError) -> Value
    ) throws(SessionError) -> Value {
        let result: Result<Value, SessionError> = state.withLock { state in
            do throws(SessionError) {
                // Facts are read under the lock: a change that follows reaches the new listener.
                guard session.service.contains(session.id), let facts = session.service.facts(of: session.id) else {
                    throw session.closed(operation)
                }
                var entry =
                    state.entries[session.id]
                    ?? Entry(
                        properties: SessionPropertyStore(session: session.id),
                        queues: SessionListenerQueues(threads: threads))
                if entry.listeners.isEmpty {
                    entry.properties = SessionPropertyStore(session: session.id, facts: facts, isInitialized: true)
                    state.snapshot = nil
                }
                let value = try body(&entry)
                state.entries[session.id] = entry
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Ends the listener of a stream that nobody reads any more.
    func streamDropped(_ property: FourCharacterCode, _ clientData: UInt, of session: SessionID) {
        let (queues, listener) = state.withLock { state in
            // A property that was listened to can be.
            let removed = try? state.entries[session]?.listeners.remove(property, clientData)
            return (state.entries[session]?.queues, removed)
        }
        if let listener { queues?.close(listener) }
    }

    func sessionsChanged(_ events: [(SessionID, SessionEvent)], _ snapshot: () -> SessionSnapshot) {
        var routeChanges: [SessionID: [RouteChange]] = [:]
        for case (let id, .routeChanged(let change)) in events { routeChanges[id, default: []].append(change) }
        let news: [News] = state.withLock { state in
            if state.entries.isEmpty { return [] }
            let now = snapshot()
            return routeChanges.isEmpty && state.snapshot == now ? [] : Self.update(&state, now, routeChanges)
        }
        for news in news { news.queues.tell(news.change, to: news.listeners) }
        threads.go()
    }

    /// A change that listeners are told of, outside the lock: see ``SessionListenerQueues``.
    private struct News: Sendable {
        let change: SessionPropertyChange
        let queues: SessionListenerQueues
        let listeners: [SessionListenerID]
    }

    private static func update(
        _ state: inout State, _ now: SessionSnapshot, _ routeChanges: [SessionID: [RouteChange]]
    ) -> [News] {
        state.snapshot = now
        var conditions = now.conditions
        var news: [News] = []
        for session in now.coordinator.sessions {
            guard let index = state.entries.index(forKey: session.id),
                !state.entries.values[index].listeners.isEmpty
            else { continue }
            let facts = conditions.facts(of: session, now.hardware)
            let routeChanges = routeChanges[session.id] ?? []
            // Where several routes came and went, each is notified, with the newest facts.
            for routeChange in routeChanges.isEmpty ? [nil] : routeChanges.map(Optional.some) {
                let changes = state.entries.values[index].properties.update(facts, routeChange: routeChange)
                let entry = state.entries.values[index]
                for change in changes {
                    let listeners = entry.listeners.listeners(of: change.property)
                    if !listeners.isEmpty {
                        news.append(News(change: change, queues: entry.queues, listeners: listeners))
                    }
                }
            }
        }
        return news
    }

    func sessionRemoved(_ id: SessionID) {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        // Its streams end outside the lock.
        _ = entry
    }
}
