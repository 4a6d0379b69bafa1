import Synchronization

/// What a listener that is called is still to be told, the oldest first.
final class ListenerMailbox: Sendable {
    typealias Notification = SessionListenerQueues.Notification

    private struct State {
        var notifications: [Notification] = []
        /// Whether it waits for its listener to be called, or the listener is being called.
        var isWaiting = false
    }

    private let capacity: Int
    private let listener: @Sendable (Notification) -> Void
    private let state = Mutex(State())

    /// A mailbox that keeps the newest `capacity` notifications for `listener`.
    init(capacity: Int, listener: @escaping @Sendable (Notification) -> Void) {
        self.capacity = capacity
        self.listener = listener
    }

    /// Puts in a notification.
    ///
    /// - Returns: Whether the oldest one was dropped for it, and whether the listener must be called, since it does not
    ///   wait for that yet.
    func add(_ notification: Notification) -> (hasDropped: Bool, mustBeCalled: Bool) {
        state.withLock { state in
            let isFull = state.notifications.count >= capacity
            if isFull { state.notifications.removeFirst() }
            state.notifications.append(notification)
            defer { state.isWaiting = true }
            return (isFull, !state.isWaiting)
        }
    }

    /// Calls the listener with the oldest notification. Nobody else may do so until it returns.
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
