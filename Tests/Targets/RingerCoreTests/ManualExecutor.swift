import RingerTestKit
import Synchronization

/// Runs tasks on the test's own thread, when the test says so: tasks that await sounds take their turns at instants that
/// are the same in every run, and the test knows what a subscriber has seen, and that it waits for more.
final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs every task until all of them wait.
    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Cancels `tasks`, and runs what they still do.
    func end(_ tasks: [Task<Void, Never>]) {
        for task in tasks { task.cancel() }
        run()
    }

    /// Moves `clock` on by `duration`, in steps of 10 ms, and lets the tasks run after each step.
    func advance(_ clock: VirtualClock, by duration: Duration) {
        run()
        for _ in 0..<Int(duration / .milliseconds(10)) {
            clock.advance(by: .milliseconds(10))
            run()
            // A sound that was stopped ends at the same instant.
            clock.advance(by: .zero)
            run()
        }
    }
}
