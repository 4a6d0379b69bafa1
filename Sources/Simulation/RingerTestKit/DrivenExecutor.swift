/// The executor of an operation that ``VirtualClock/drive(patience:_:)`` runs: its jobs wait at the clock until the driving thread
/// runs them. So an operation that the scheduler holds up cannot be taken for one that waits.
final class DrivenExecutor: TaskExecutor {
    private weak let clock: VirtualClock?
    private let drive: UInt64

    init(_ clock: VirtualClock, _ drive: UInt64) {
        (self.clock, self.drive) = (clock, drive)
    }

    /// Any thread. Once the clock has the job, the operation may end, and this with it: only the clock is used then.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let clock, clock.add(job, to: drive) { return }
        runElsewhere(job)
    }

    func run(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Nobody drives the operation any more: what is left of it runs as other tasks do.
    func runElsewhere(_ job: UnownedJob) {
        Task.detached { self.run(job) }
    }
}
