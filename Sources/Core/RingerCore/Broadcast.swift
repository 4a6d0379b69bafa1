import Synchronization

/// Sends values to every subscriber. Any thread.
///
/// Each subscriber has a buffer of its own: a slow one delays neither the sender nor the others.
///
/// No lock is held where a value may resume a task: that waits for a lock of the task, which its cancellation holds while
/// it ends the subscription.
package final class Broadcast<Element: Sendable>: Sendable {
    /// Those who get a value, in the order in which they subscribed.
    package typealias Subscribers = [(id: UInt64, continuation: AsyncStream<Element>.Continuation)]

    private struct State {
        var subscribers: Subscribers = []
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    /// Whether anybody ever subscribed.
    private let wasUsed = Atomic(false)

    package init() {}

    package var isEmpty: Bool { !wasUsed.load(ordering: .acquiring) || state.withLock { $0.subscribers.isEmpty } }

    /// The subscribers now, without those whose stream was dropped.
    package var subscribers: Subscribers { state.withLock { $0.subscribers } }

    deinit {
        finish()
    }

    /// Subscribes. The subscription ends when the stream is dropped or its task cancelled.
    ///
    /// - Parameters:
    ///   - policy: What the subscriber's buffer keeps when it is full.
    ///   - first: The first value; nil for none.
    /// - Returns: The values from now on, in order.
    package func subscribe(
        buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy, startingWith first: Element? = nil
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let id: UInt64? = state.withLock { state in
            if let first { continuation.yield(first) }
            if state.isFinished { return nil }
            wasUsed.store(true, ordering: .releasing)
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

    /// Sends `element` to every subscriber. Two calls at a time have no order.
    ///
    /// - Returns: How many subscribers lost a value because their buffers were full.
    @discardableResult
    package func send(_ element: Element) -> Int { Self.send(element, to: subscribers) }

    /// Sends `element` to these subscribers.
    package static func send(_ element: Element, to subscribers: Subscribers) -> Int {
        var lost = 0
        for subscriber in subscribers {
            if case .dropped = subscriber.continuation.yield(element) { lost += 1 }
        }
        return lost
    }

    /// Ends every subscription.
    package func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [] }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.continuation.finish() }
    }
}
