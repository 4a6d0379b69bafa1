import Synchronization

/// The device's states: the current one first, then each new one. A slow subscriber may miss states in between, never
/// the newest.
///
/// Each iterator is a subscriber of its own, which ends when its task is cancelled.
///
/// It behaves as an `AsyncStream` that buffers one element, and takes fewer instructions between an edge and the
/// firmware.
public struct DeviceStates: AsyncSequence, Sendable {
    let newest: NewestState

    /// One subscriber.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let newest: NewestState
        @usableFromInline let subscriber = NewestState.Subscriber()

        /// Waits for a state newer than the last one; nil once the device is closed or the task cancelled.
        public mutating func next() async -> DeviceState? {
            await next(isolation: nil)
        }

        /// Waits for a state newer than the last one; nil once the device is closed or the task cancelled.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DeviceState? {
            // Inlined: each function that a task returns to after a wait looks up the task's thread.
            let (newest, subscriber) = (newest, subscriber)
            await withTaskCancellationHandler {
                // SAFETY: `wait` stores the continuation, which is resumed exactly once, by the next state, the end or the
                // cancellation.
                await withUnsafeContinuation(isolation: actor) { newest.wait($0, subscriber) }
            } onCancel: {
                newest.cancel(subscriber)
            }
            return newest.take(subscriber)
        }
    }

    /// Subscribes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(newest: newest)
    }
}

/// The newest state, and the subscribers that wait for the next one. Any thread.
@usableFromInline
final class NewestState: Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

    /// One subscriber.
    // SAFETY: the variables are used under the lock of the newest state alone.
    @usableFromInline
    final class Subscriber: @unchecked Sendable {
        /// The version of the last state that it got.
        @exclusivity(unchecked) fileprivate var seen: UInt64 = 0
        @exclusivity(unchecked) fileprivate var isCancelled = false
    }

    private struct State {
        var newest: DeviceState
        var version: UInt64 = 1
        var isFinished = false
        var waiting: [(subscriber: Subscriber, continuation: Continuation)] = []

        /// Removes a subscriber that has waited long enough.
        mutating func takeWaiter() -> Continuation? {
            // Most devices have one.
            if waiting.count == 1 { return hasWaited(waiting[0].subscriber) ? waiting.removeLast().continuation : nil }
            return waiting.firstIndex { hasWaited($0.subscriber) }.map { waiting.remove(at: $0).continuation }
        }

        private func hasWaited(_ subscriber: Subscriber) -> Bool {
            subscriber.seen != version || subscriber.isCancelled || isFinished
        }
    }

    private let state: Mutex<State>

    init(_ newest: DeviceState) {
        state = Mutex(State(newest: newest))
    }

    /// Resumes `continuation` once there is a state that `subscriber` has not got, or at its end.
    @usableFromInline
    func wait(_ continuation: Continuation, _ subscriber: Subscriber) {
        state.withLock { $0.waiting.append((subscriber, continuation)) }
        wake()
    }

    /// The newest state, which each subscriber gets once; nil at its end.
    @usableFromInline
    func take(_ subscriber: Subscriber) -> DeviceState? {
        state.withLock { state in
            if subscriber.isCancelled || subscriber.seen == state.version { return nil }
            subscriber.seen = state.version
            return state.newest
        }
    }

    /// Ends the subscription. It resumes no other task: the cancellation of that one may be resuming this.
    @usableFromInline
    func cancel(_ subscriber: Subscriber) {
        let continuation: Continuation? = state.withLock { state in
            subscriber.isCancelled = true
            let index = state.waiting.firstIndex { $0.subscriber === subscriber }
            return index.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume()
    }

    /// Sets the newest state.
    ///
    /// - Returns: Whether ``wake()`` has to follow, for a subscriber that waits.
    func set(_ newest: DeviceState) -> Bool {
        state.withLock { state in
            state.newest = newest
            state.version += 1
            return !state.waiting.isEmpty
        }
    }

    /// Ends every subscription after its subscriber has received the newest state.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Resumes the subscribers that have waited long enough.
    func wake() {
        // Outside of the lock: an executor may run the task at once.
        while true {
            let (waiter, isLast) = state.withLock { state in (state.takeWaiter(), state.waiting.isEmpty) }
            waiter?.resume()
            if waiter == nil || isLast { return }
        }
    }
}
