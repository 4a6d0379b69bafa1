import SessionRules
import Synchronization

/// Has a service's requests for each session carried out in the order in which they were made: each begins once the one
/// before has been answered. Any thread.
final class SessionTurns: Sendable {
    private struct Turns: Sendable {
        /// The requests that have not been answered, the oldest first: that one has begun.
        var requests: ArraySlice<@Sendable () -> Void>
        /// Whether a thread begins requests. It begins the next one too, so that answers within the call do not nest.
        var isBeginning = true
        /// Whether the oldest request was answered meanwhile.
        var isAnswered = false
    }

    private let sessions = Mutex<[SessionID: Turns]>([:])

    /// Calls `request` once it is its turn. It calls ``end(_:)`` when it is answered.
    func take(_ id: SessionID, _ request: @escaping @Sendable () -> Void) {
        let isFirst = sessions.withLock { sessions in
            if sessions[id] == nil {
                sessions[id] = Turns(requests: [request])
                return true
            }
            sessions[id]?.requests.append(request)
            return false
        }
        if isFirst { begin(id, request) }
    }

    /// Begins the next request of the session.
    func end(_ id: SessionID) {
        let next = sessions.withLock { sessions -> (@Sendable () -> Void)? in
            if sessions[id]?.isBeginning == true {
                sessions[id]?.isAnswered = true
                return nil
            }
            return Self.next(id, &sessions)
        }
        if let next { begin(id, next) }
    }

    private func begin(_ id: SessionID, _ first: @escaping @Sendable () -> Void) {
        var request: (@Sendable () -> Void)? = first
        while let begun = request {
            begun()
            request = sessions.withLock { sessions in
                if sessions[id]?.isAnswered == true { return Self.next(id, &sessions) }
                sessions[id]?.isBeginning = false
                return nil
            }
        }
    }

    /// The request after the oldest one, which was answered; nil if there is none.
    private static func next(_ id: SessionID, _ sessions: inout [SessionID: Turns]) -> (@Sendable () -> Void)? {
        guard var turns = sessions.removeValue(forKey: id) else { return nil }
        turns.requests.removeFirst()
        guard let next = turns.requests.first else { return nil }
        (turns.isBeginning, turns.isAnswered) = (true, false)
        sessions[id] = turns
        return next
    }
}
