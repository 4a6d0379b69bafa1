import SessionRules

/// Has a service's requests for each session carried out in the order in which they were made: each begins once the one
/// before has been answered. Used inside transitions.
final class SessionTurns: Sendable {
    private struct Turns: Sendable {
        /// The requests that have not begun, the oldest first.
        var waiting: ArraySlice<@Sendable () -> Void> = []
        /// Whether a request has begun and was not answered.
        var isUnderWay = false
        /// Whether requests are being begun. The next one is begun there too, so that answers within the call do not nest.
        var isBeginning = false
    }

    private let sessions = TransitionState<[SessionID: Turns]>([:])

    /// Calls `request` once it is its turn, with what to call when it is answered: that calls `completion`, and begins the
    /// next request of the session.
    func take(
        _ id: SessionID, _ completion: @escaping @Sendable (SessionError?) -> Void,
        _ request: @escaping @Sendable (_ answer: @escaping @Sendable (SessionError?) -> Void) -> Void
    ) {
        sessions.value[id, default: Turns()].waiting.append { [self] in
            request { [self] error in
                completion(error)
                sessions.value[id]?.isUnderWay = false
                beginNext(id)
            }
        }
        beginNext(id)
    }

    private func beginNext(_ id: SessionID) {
        if sessions.value[id]?.isBeginning != false { return }
        sessions.value[id]?.isBeginning = true
        while sessions.value[id]?.isUnderWay == false, let request = sessions.value[id]?.waiting.popFirst() {
            sessions.value[id]?.isUnderWay = true
            request()
        }
        sessions.value[id]?.isBeginning = false
        if sessions.value[id]?.isUnderWay == false { sessions.value[id] = nil }
    }
}
