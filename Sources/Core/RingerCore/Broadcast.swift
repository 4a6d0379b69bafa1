import Synchronization

/// Sends values to every subscriber. Any thread.
///
/// Each subscriber has a buffer of its own: a slow one delays neither the sender nor the others.
final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        /// In the order in which they subscribed.
        var subscribers: [(id: UInt64, continuation: AsyncStream<Element>.Continuation)] = []
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// How many subscribers there are, without those whose stream was dropped.
    var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    deinit {
        finish()
    }

    /// Subscribes. The subscription ends when the stream is dropped or its task cancelled.
    ///
    /// - Parameters:
    ///   - policy: What the subscriber's buffer keeps when it is full.
    ///   - first: The first value; nil for none.
    /// - Returns: The values from now on, in order.
    func subscribe(
        buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy, startingWith first: Element? = nil
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let id: UInt64? = state.withLock { state in
            if let first { continuation.yield(first) }
            if state.isFinished { return nil }
            state.nextID += 1
            state.subscribers.append((state.nextID, continuation))
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers.removeAll { $0.id == id } }
        }
        return stream
    }

    /// Sends `element` to every subscriber, in the order of the calls.
    ///
    /// - Returns: How many subscribers lost a value because their buffers were full.
    @discardableResult
    func send(_ element: Element) -> Int {
        // Yielding under the lock keeps the order between two senders; no user code runs in it.
        state.withLock { state in
            var lost = 0
            for subscriber in state.subscribers {
                if case .dropped = subscriber.continuation.yield(element) { lost += 1 }
            }
            return lost
        }
    }

    /// Ends every subscription.
    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [] }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.continuation.finish() }
    }
}
