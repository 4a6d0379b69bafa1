import Synchronization

extension EventLoop {
    /// Runs `body` as a task on the loop's thread and waits for its end: for a `main` that is not `async`.
    ///
    /// The calling thread sleeps meanwhile. A process that lives like this starts no other thread for its tasks. The
    /// loop itself is not to be closed before `body` ends, and what `body` awaits must not need the main actor where
    /// the main thread is the one that waits.
    ///
    /// - Parameter body: What to do. Between two suspensions it must not block: edges wait for it.
    /// - Throws: What `body` throws.
    public func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        precondition(!isCurrentThread, "The loop's thread cannot wait for itself.")
        let isDone = Latch()
        let outcome = Outcome()
        Task(executorPreference: self) {
            do {
                try await body()
            } catch {
                outcome.failure.withLock { $0 = error }
            }
            isDone.open()
        }
        isDone.wait()
        if let error = outcome.failure.withLock({ $0 }) { throw error }
    }

    private final class Outcome: Sendable {
        let failure = Mutex<(any Error)?>(nil)
    }
}
