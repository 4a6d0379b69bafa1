import Synchronization

/// The tasks and functions that wait for a time, a descriptor or the speaker. Each wait ends once: when it happens, when
/// its task is cancelled, or when the device is closed. Any thread.
final class DeviceWaits: Sendable {
    typealias Outcome = Result<Int16, any Error>

    private enum Wait {
        /// Its task has not suspended yet.
        case begun
        case suspended(CheckedContinuation<Int16, any Error>, stop: @Sendable () -> Void)
        /// It ended before its task had suspended.
        case ended(Outcome)
        case function(@Sendable () -> Void)
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private static let closed = RingerError(.closed, "wait", "device")
    private let state = Mutex(State())

    /// Suspends the task until what `begin` sets up happens.
    ///
    /// - Parameter begin: Sets up the timer or the watch, which calls its argument with what the descriptor is ready
    ///   for; returns how to cancel it.
    /// - Returns: What the descriptor is ready for.
    /// - Throws: `CancellationError`, or ``RingerError`` with the code `closed`.
    func wait(
        _ begin: (@escaping @Sendable (Int16) -> Void) -> @Sendable () -> Void
    ) async throws -> Int16 {
        let id: UInt64 = try state.withLock { state in
            if state.isClosed { throw Self.closed }
            state.nextID += 1
            state.waits[state.nextID] = .begun
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let stop = begin { [self] ready in end(id, .success(ready)) }
                let outcome: Outcome? = state.withLock { state in
                    if case .ended(let outcome)? = state.waits.removeValue(forKey: id) { return outcome }
                    state.waits[id] = .suspended(continuation, stop: stop)
                    return nil
                }
                if let outcome {
                    stop()
                    continuation.resume(with: outcome)
                }
            }
        } onCancel: {
            end(id, .failure(CancellationError()))
        }
    }

    /// Calls `body` once: when `begin`'s argument is called, or when the device is closed, at once if it is.
    func call(_ body: @escaping @Sendable () -> Void, after begin: (@escaping @Sendable () -> Void) -> Void) {
        let id: UInt64? = state.withLock { state in
            if state.isClosed { return nil }
            state.nextID += 1
            state.waits[state.nextID] = .function(body)
            return state.nextID
        }
        guard let id else { return body() }
        begin { [self] in end(id, .success(0)) }
    }

    /// Ends every wait, present or future, with the error `closed`.
    func close() {
        let ids = state.withLock { state in
            state.isClosed = true
            return Array(state.waits.keys)
        }
        for id in ids { end(id, .failure(Self.closed)) }
    }

    private func end(_ id: UInt64, _ outcome: Outcome) {
        let wait: Wait? = state.withLock { state in
            let wait = state.waits.removeValue(forKey: id)
            switch wait {
            case .begun: state.waits[id] = .ended(outcome)
            case .ended: state.waits[id] = wait
            case .suspended, .function, nil: break
            }
            return wait
        }
        if case .function(let body)? = wait { return body() }
        guard case .suspended(let continuation, let stop)? = wait else { return }
        stop()
        continuation.resume(with: outcome)
    }
}
