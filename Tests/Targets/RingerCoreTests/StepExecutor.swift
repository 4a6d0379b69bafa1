import Synchronization

/// Runs the steps of tasks on the test's own thread, when the test says so. Afterwards every task of its is over or waits:
/// the test knows what a subscriber has seen, and that it waits for more.
final class StepExecutor: TaskExecutor {
    private let steps = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        steps.withLock { $0.append(step) }
    }

    /// Runs steps, those that they lead to included, until there are none.
    func runUntilIdle() {
        while let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            step.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Cancels `tasks`, and runs what they still do.
    func end(_ tasks: [Task<Void, Never>]) {
        for task in tasks { task.cancel() }
        runUntilIdle()
    }
}
