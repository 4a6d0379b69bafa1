import Synchronization

extension EventLoop {
    /// Runs `body` as a task on the loop's thread and waits for its end: for a `main` that is not `async`.
    ///
    /// The calling thread sleeps meanwhile, and no other thread is started for tasks. Do not close the loop before
    /// `body` ends. If the main thread calls this, nothing that `body` awaits may need the main actor.
    ///
    /// - Parameter body: What to run. While it blocks between suspensions, what the loop watches waits.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(isCurrentThread != hasOwnThread, "The loop's own thread cannot wait for itself.")
        let isDone = Latch()
        let outcome = Outcome<Value, Failure>()
        Task(executorPreference: self) {
            do throws(Failure) {
                let value = try await body()
                outcome.result.withLock { $0 = .success(value) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            // The calling thread runs the loop below, and returns from it.
            if !self.hasOwnThread { self.close() }
            isDone.open()
        }
        if !hasOwnThread { run() }
        while true {
            isDone.wait()
            if let result = outcome.result.withLock({ $0 }) { return try result.get() }
        }
    }

    /// What passes from the loop's thread to the one that waits.
    private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
        let result = Mutex<Result<Value, Failure>?>(nil)
    }
}
