import Synchronization

/// The device's states: the current one first, then each new one. A slow subscriber may miss states in between, never
/// the newest.
///
/// Each iterator is a subscriber of its own, and is removed when it is dropped or its task is cancelled.
///
/// It behaves as an `AsyncStream` that buffers one element, and takes fewer instructions between an edge and the
/// firmware.
public struct DeviceStates: AsyncSequence, Sendable {
    let newest: NewestState

    /// One subscriber.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let newest: NewestState
        /// The version of the last state that was returned.
        var seen: UInt64 = 0

        /// Waits for a state newer than the last one; nil once the device is closed or the task cancelled.
        public mutating func next() async -> DeviceState? {
            await next(isolation: nil)
        }

        /// Waits for a state newer than the last one; nil once the device is closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DeviceState? {
            // Looked at once for each wait: an edge's instructions count.
            var isCancelled = Task.isCancelled
            while !isCancelled {
                switch newest.take(after: seen) {
                case .state(let state, let version):
                    seen = version
                    return state
                case .finished:
                    return nil
                case .nothing:
                    let ticket = newest.makeTicket()
                    let (newest, seen) = (newest, seen)
                    await withTaskCancellationHandler {
                        // SAFETY: `wait` resumes the continuation or stores it; a stored one is resumed exactly once,
                        // by the next state, the end or the cancellation.
                        await withUnsafeContinuation(isolation: actor) { continuation in
                            newest.wait(continuation, ticket, after: seen)
                        }
                    } onCancel: {
                        newest.cancel(ticket)
                    }
                    isCancelled = Task.isCancelled
                    if isCancelled { newest.forget(ticket) }
                }
            }
            return nil
        }
    }

    /// Subscribes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(newest: newest)
    }
}

/// The newest state, and the subscribers that wait for the next one. Any thread.
final class NewestState: Sendable {
    enum Taken {
        case state(DeviceState, version: UInt64)
        case finished
        case nothing
    }

    private struct State {
        var newest: DeviceState
        var version: UInt64 = 1
        var isFinished = false
        var waiting: [(ticket: UInt64, continuation: UnsafeContinuation<Void, Never>)] = []
        /// Tickets that were cancelled before their wait began.
        var cancelled: [UInt64] = []
    }

    private let state: Mutex<State>
    private let nextTicket = Atomic<UInt64>(0)

    init(_ newest: DeviceState) {
        state = Mutex(State(newest: newest))
    }

    /// The newest state if it is newer than `version`.
    func take(after version: UInt64) -> Taken {
        state.withLock { state in
            if state.version != version { return .state(state.newest, version: state.version) }
            return state.isFinished ? .finished : .nothing
        }
    }

    /// A new number that identifies one wait.
    func makeTicket() -> UInt64 { nextTicket.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Resumes `continuation` once there is a state newer than `version`.
    func wait(_ continuation: UnsafeContinuation<Void, Never>, _ ticket: UInt64, after version: UInt64) {
        let isOver = state.withLock { state in
            if let index = state.cancelled.firstIndex(of: ticket) {
                state.cancelled.remove(at: index)
                return true
            }
            if state.version != version || state.isFinished { return true }
            state.waiting.append((ticket, continuation))
            return false
        }
        if isOver { continuation.resume() }
    }

    /// Resumes the wait with `ticket`, or prevents it from beginning.
    func cancel(_ ticket: UInt64) {
        let continuation: UnsafeContinuation<Void, Never>? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled.append(ticket)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume()
    }

    /// Removes a ticket that was cancelled before its wait began.
    func forget(_ ticket: UInt64) {
        state.withLock { $0.cancelled.removeAll { $0 == ticket } }
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

    /// Resumes the subscribers that wait.
    func wake() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        // Outside of the lock: an executor may run the task at once.
        for waiter in waiting { waiter.continuation.resume() }
    }
}
