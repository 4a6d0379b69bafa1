import RingerCore
import Synchronization

/// A notification of a property's change.
public struct SessionPropertyNotification: Sendable, Hashable {
    /// The property and its value.
    public var change: SessionPropertyChange
    /// How many changes of the property the listener missed, since it was added, because it was too slow.
    public var missed: Int

    package init(_ change: SessionPropertyChange, missed: Int = 0) {
        self.change = change
        self.missed = missed
    }
}

/// Carries notifications to listeners, each through an ordered queue of its own. Any thread.
///
/// ``tell(_:to:)`` never waits and runs no listener: a slow listener delays neither its caller nor other listeners. A slow
/// listener of a state gets the newest value; of happenings, such as route changes, the newest ``capacity``. The next
/// notification counts the changes that it missed.
///
/// Who calls ``tell(_:to:)`` or ``close(_:)`` holds no lock: both may resume the task that reads a stream, which waits for a lock
/// of the task, and the task's cancellation holds that one while `onDrop` runs.
package final class SessionListenerQueues: Sendable {
    private struct Queue {
        /// The receiver of the notifications.
        enum End {
            case stream(AsyncStream<SessionPropertyNotification>.Continuation)
            case listener(ListenerMailbox)
        }

        var end: End
        var missed = 0

        func finish() {
            // Notifications that wait in a mailbox are still delivered, like those in a stream.
            if case .stream(let continuation) = end { continuation.finish() }
        }
    }

    /// The largest number of happenings that wait for a slow listener.
    package static let capacity = 64

    private let queues = Mutex<[SessionListenerID: Queue]>([:])
    /// The threads that call listeners.
    private let threads: ListenerThreads?

    /// No queues.
    package init() {
        threads = nil
    }

    /// No queues; `threads` call the listeners after the next ``ListenerThreads/go()``.
    init(threads: ListenerThreads) {
        self.threads = threads
    }

    deinit {
        let all = queues.withLock { Array($0.values) }
        for queue in all { queue.finish() }
    }

    /// Opens the queue of listener `id` of `property`. One that was open ends.
    ///
    /// - Parameter onDrop: Called when the stream is dropped, or the task that reads it is cancelled, before the queue was
    ///   closed.
    /// - Returns: The notifications, in order, until the queue is closed.
    package func open(
        _ id: SessionListenerID, of property: SessionProperty, onDrop: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<SessionPropertyNotification> {
        let (stream, continuation) = AsyncStream<SessionPropertyNotification>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.capacity(of: property)))
        // `finish()` ends the stream as well.
        continuation.onTermination = { if case .cancelled = $0 { onDrop() } }
        open(id, Queue(end: .stream(continuation)))
        return stream
    }

    /// Opens the queue of listener `id` of `property`: `listener` is called with the notifications, in order, one call at a
    /// time.
    func open(
        _ id: SessionListenerID, of property: SessionProperty,
        calling listener: @escaping @Sendable (SessionPropertyNotification) -> Void
    ) {
        open(id, Queue(end: .listener(ListenerMailbox(capacity: Self.capacity(of: property), listener: listener))))
    }

    private func open(_ id: SessionListenerID, _ queue: Queue) {
        let old = queues.withLock { $0.updateValue(queue, forKey: id) }
        old?.finish()
    }

    private static func capacity(of property: SessionProperty) -> Int { property.isState ? 1 : capacity }

    /// Notifies the listeners `ids` of `change`, in this order. Two calls at a time have no order.
    package func tell(_ change: SessionPropertyChange, to ids: [SessionListenerID]) {
        for id in ids {
            guard let queue = queues.withLock({ $0[id] }) else { continue }
            let notification = SessionPropertyNotification(change, missed: queue.missed)
            let hasDropped: Bool
            switch queue.end {
            case .stream(let continuation):
                if case .dropped = continuation.yield(notification) { hasDropped = true } else { hasDropped = false }
            case .listener(let mailbox):
                let mustBeCalled: Bool
                (hasDropped, mustBeCalled) = mailbox.add(notification)
                if mustBeCalled { threads?.add(mailbox) }
            }
            if hasDropped { queues.withLock { $0[id]?.missed += 1 } }
        }
    }

    /// Closes the queue of listener `id`: notifications in it are still delivered, then the stream ends.
    package func close(_ id: SessionListenerID) {
        let queue = queues.withLock { $0.removeValue(forKey: id) }
        queue?.finish()
    }
}
