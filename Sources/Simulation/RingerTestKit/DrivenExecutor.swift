import Synchronization

/// The executor of an operation that ``VirtualClock/drive(patience:_:)`` runs: its jobs wait until the driving thread runs them. So
/// an operation that the scheduler holds up cannot be taken for one that waits.
final class DrivenExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// Called when a job was added.
    private let added: @Sendable () -> Void

    init(added: @escaping @Sendable () -> Void) {
        self.added = added
    }

    /// Any thread.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAbandoned = state.withLock { state in
            state.jobs.append(job)
            return state.isAbandoned
        }
        if isAbandoned { runElsewhere() } else { added() }
    }

    /// Whether no job waits.
    var isEmpty: Bool { state.withLock { $0.jobs.isEmpty } }

    /// Runs the jobs, and those that they add, on the calling thread, until none is left.
    func run() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Nobody drives the operation any more: what is left of it runs as other tasks do.
    func abandon() {
        let isLeft = state.withLock { state in
            state.isAbandoned = true
            return !state.jobs.isEmpty
        }
        if isLeft { runElsewhere() }
    }

    private func runElsewhere() {
        Task.detached { self.run() }
    }
}
