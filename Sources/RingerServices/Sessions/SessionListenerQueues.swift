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
        /// Whom it leads to.
        enum End {
            case stream(AsyncStream<Notification>.Continuation)
            case listener(ListenerMailbox)
        }

        var end: End
        var missed = 0

        func finish() {
            // What is in a mailbox is still told, as what is in a stream.
            if case .stream(let continuation) = end { continuation.finish() }
        }
    }

    /// How many happenings wait for a slow listener at most.
    public static let capacity = 64

    private let queues = Mutex<[SessionListenerID: Queue]>([:])
    /// Who calls listeners.
    private let threads: ListenerThreads?

    /// No queues.
    public init() {
        threads = nil
    }

    /// No queues; listeners are called by `threads`, when those are told to ``ListenerThreads/go()``.
    init(threads: ListenerThreads) {
        self.threads = threads
    }

    deinit {
        let all = queues.withLock { Array($0.values) }
        for queue in all { queue.finish() }
    }

    /// Opens the queue of listener `id` of `property`. One that was open ends.
    ///
    /// - Returns: What the listener is told, in order, until the queue is closed.
    public func open(_ id: SessionListenerID, of property: SessionProperty) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream<Notification>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.capacity(of: property)))
        open(id, Queue(end: .stream(continuation)))
        return stream
    }

    /// Opens the queue of listener `id` of `property`: `listener` is called with what it is told, in order, never two
    /// calls at a time.
    func open(
        _ id: SessionListenerID, of property: SessionProperty,
        calling listener: @escaping @Sendable (Notification) -> Void
    ) {
        open(id, Queue(end: .listener(ListenerMailbox(capacity: Self.capacity(of: property), listener: listener))))
    }

    private func open(_ id: SessionListenerID, _ queue: Queue) {
        let old = queues.withLock { $0.updateValue(queue, forKey: id) }
        old?.finish()
    }

    private static func capacity(of property: SessionProperty) -> Int { property.isState ? 1 : capacity }

    /// Tells the listeners `ids` of `change`, in this order.
    public func tell(_ change: SessionPropertyChange, to ids: [SessionListenerID]) {
        // Yielding under the lock keeps the order between two who tell; it runs nobody's code.
        queues.withLock { queues in
            for id in ids {
                guard let queue = queues[id] else { continue }
                let notification = Notification(change, missed: queue.missed)
                switch queue.end {
                case .stream(let continuation):
                    switch continuation.yield(notification) {
                    case .dropped: queues[id]?.missed += 1
                    case .terminated: queues[id] = nil
                    default: break
                    }
                case .listener(let mailbox):
                    let (hasDropped, mustBeCalled) = mailbox.add(notification)
                    if hasDropped { queues[id]?.missed += 1 }
                    if mustBeCalled { threads?.add(mailbox) }
                }
            }
        }
    }

    /// Closes the queue of listener `id`: what is in it is still told, then the stream ends.
    public func close(_ id: SessionListenerID) {
        let queue = queues.withLock { $0.removeValue(forKey: id) }
        queue?.finish()
    }
}
