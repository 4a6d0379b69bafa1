import Synchronization

/// The notifications that a listener was not called with yet, the oldest first. Any thread adds.
final class ListenerMailbox: Sendable {
    private struct State {
        var notifications: [SessionPropertyNotification] = []
        /// Whether a thread will call the listener, or is calling it.
        var isWaiting = false
    }

    private let capacity: Int
    private let listener: @Sendable (SessionPropertyNotification) -> Void
    private let state = Mutex(State())

    /// A mailbox that keeps the newest `capacity` notifications for `listener`.
    init(capacity: Int, listener: @escaping @Sendable (SessionPropertyNotification) -> Void) {
        self.capacity = capacity
        self.listener = listener
    }

    /// Adds a notification.
    ///
    /// - Returns: Whether the oldest one was dropped for it, and whether a thread must be asked to call the listener.
    func add(_ notification: SessionPropertyNotification) -> (hasDropped: Bool, mustBeCalled: Bool) {
        state.withLock { state in
            let isFull = state.notifications.count >= capacity
            if isFull { state.notifications.removeFirst() }
            state.notifications.append(notification)
            defer { state.isWaiting = true }
            return (isFull, !state.isWaiting)
        }
    }

    /// Calls the listener with the oldest notification. One thread at a time may do so.
    ///
    /// - Returns: Whether there are more.
    func callNext() -> Bool {
        let notification = state.withLock { $0.notifications.isEmpty ? nil : $0.notifications.removeFirst() }
        if let notification { listener(notification) }
        return state.withLock { state in
            state.isWaiting = !state.notifications.isEmpty
            return state.isWaiting
        }
    }
}
