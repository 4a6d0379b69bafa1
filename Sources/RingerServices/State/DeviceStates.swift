import Synchronization

/// A device's states, the present one first, then each that a subscriber has time for: it misses states in between,
/// never the newest.
///
/// Each iterator is a subscriber of its own. One that is dropped, or whose task is cancelled, is forgotten. A subscriber
/// that waits costs nothing.
///
/// It does what an `AsyncStream` of one buffered element does, in fewer steps: between an edge and a firmware, they count.
public struct DeviceStates: AsyncSequence, Sendable {
    let newest: NewestState

    /// The subscriber's side.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let newest: NewestState
        /// The version that was taken last.
        var seen: UInt64 = 0

        /// The newest state, once it is none that this iterator has given; nil when the device is closed, or the task
        /// cancelled.
        public mutating func next() async -> DeviceState? {
            await next(isolation: nil)
        }

        /// The newest state, once it is none that this iterator has given; nil when the device is closed, or the task
        /// cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DeviceState? {
            while !Task.isCancelled {
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
                        // SAFETY: `wait` resumes it or keeps it, and what is kept is resumed once: by the next state,
                        // by the end, or by the cancellation.
                        await withUnsafeContinuation(isolation: actor) { continuation in
                            newest.wait(continuation, ticket, after: seen)
                        }
                    } onCancel: {
                        newest.cancel(ticket)
                    }
                    if Task.isCancelled { newest.forget(ticket) }
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

/// The newest state, and who waits for the next.
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
        /// Tickets that were cancelled before their owner came to wait.
        var cancelled: [UInt64] = []
    }

    private let state: Mutex<State>
    private let nextTicket = Atomic<UInt64>(0)

    /// The state at the start.
    init(_ newest: DeviceState) {
        state = Mutex(State(newest: newest))
    }

    /// The newest state, where it is newer than `version`.
    func take(after version: UInt64) -> Taken {
        state.withLock { state in
            if state.version != version { return .state(state.newest, version: state.version) }
            return state.isFinished ? .finished : .nothing
        }
    }

    /// A number for one wait.
    func makeTicket() -> UInt64 { nextTicket.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Resumes `continuation` once there is something newer than `version`.
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

    /// Resumes the one who waits with `ticket`, or is about to.
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

    /// Forgets a ticket that may have been cancelled and never came to wait.
    func forget(_ ticket: UInt64) {
        state.withLock { $0.cancelled.removeAll { $0 == ticket } }
    }

    /// Tells everybody that the state is `newest` now.
    func send(_ newest: DeviceState) {
        change { state in
            state.newest = newest
            state.version += 1
        }
    }

    /// Ends every subscription, once it has the newest state.
    func finish() {
        change { $0.isFinished = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        // Outside of the lock: an executor may run the task at once.
        for waiter in waiting { waiter.continuation.resume() }
    }
}
