import Synchronization

/// Carries what properties tell to their listeners, each through an ordered queue of its own.
///
/// Telling never waits: it runs nobody's code, and a listener that is slow delays neither the one who tells nor the
/// other listeners. A slow listener of a state finds the newest value; of happenings, such as route changes, it finds
/// the newest ``capacity``. What it missed is counted in what it is told next.
public final class SessionListenerQueues: Sendable {
    /// What a listener is told.
    public struct Notification: Sendable, Hashable {
        /// The property and its value.
        public var change: SessionPropertyChange
        /// How many changes of the property the listener was too slow to be told since the queue was opened.
        public var missed: Int

        /// What a listener is told of `change`.
        public init(_ change: SessionPropertyChange, missed: Int = 0) {
            self.change = change
            self.missed = missed
        }
    }

    private struct Queue {
        var continuation: AsyncStream<Notification>.Continuation
        var missed = 0
    }

    /// How many happenings wait for a slow listener at most.
    public static let capacity = 64

    private let queues = Mutex<[SessionListenerID: Queue]>([:])

    /// No queues.
    public init() {}

    deinit {
        let all = queues.withLock { Array($0.values) }
        for queue in all { queue.continuation.finish() }
    }

    /// Opens the queue of listener `id` of `property`. One that was open ends.
    ///
    /// - Returns: What the listener is told, in order, until the queue is closed.
    public func open(_ id: SessionListenerID, of property: SessionProperty) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream<Notification>.makeStream(
            bufferingPolicy: .bufferingNewest(property.isState ? 1 : Self.capacity))
        let old = queues.withLock { $0.updateValue(Queue(continuation: continuation), forKey: id) }
        old?.continuation.finish()
        return stream
    }

    /// Tells the listeners `ids` of `change`, in this order.
    public func tell(_ change: SessionPropertyChange, to ids: [SessionListenerID]) {
        // Yielding under the lock keeps the order between two who tell; it runs nobody's code.
        queues.withLock { queues in
            for id in ids {
                guard var queue = queues[id] else { continue }
                switch queue.continuation.yield(Notification(change, missed: queue.missed)) {
                case .dropped:
                    queue.missed += 1
                    queues[id] = queue
                case .terminated: queues[id] = nil
                default: break
                }
            }
        }
    }

    /// Closes the queue of listener `id`: what is in it is still told, then the stream ends.
    public func close(_ id: SessionListenerID) {
        let queue = queues.withLock { $0.removeValue(forKey: id) }
        queue?.continuation.finish()
    }
}
