import Dispatch
import RingerCore
import RingerTestKit
import SessionProperties
import Synchronization
import Testing

/// Runs a task's steps, and where the task is resumed has another thread do something first, which must not wait for the
/// thread that resumes it.
private final class InterveningExecutor: TaskExecutor {
    /// How long the other thread has: for ever, as far as a computer is concerned.
    private static let patience = DispatchTimeInterval.seconds(20)

    private let queue = DispatchQueue(label: "reader")
    private let intervention = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether each intervention came to its end.
    private let ends = Mutex<[Bool]>([])

    /// Whether there was an intervention, and each came to its end.
    var hasIntervened: Bool { ends.withLock { !$0.isEmpty && !$0.contains(false) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let body = intervention.withLock({ $0.take() }) {
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                body()
                isDone.signal()
            }
            let isInTime = isDone.wait(timeout: .now() + Self.patience) == .success
            ends.withLock { $0.append(isInTime) }
        }
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Starts a task that reads `stream`, and returns when it waits for a value.
    func read<Element: Sendable>(_ stream: AsyncStream<Element>) -> Task<Void, Never> {
        let task = Task(executorPreference: self) { for await _ in stream {} }
        queue.sync {}
        return task
    }

    /// Has another thread call `body` when a task of this executor is resumed next.
    func intervene(_ body: @escaping @Sendable () -> Void) {
        intervention.withLock { $0 = body }
    }
}

/// Whoever resumes a task may wait for a lock of the task, and a task's cancellation holds that lock while it ends the task's
/// subscriptions. Two threads that do both for each other would wait for ever, if a value were sent under a lock that the end of
/// a subscription takes.
@Suite("Readers that are cancelled while others get a value")
struct CancelledReaderTests {
    private let bench: PropertyBench
    private let session: AudioSession
    private let executor = InterveningExecutor()

    init() throws {
        bench = try PropertyBench()
        session = bench.playing(.ambient)
    }

    @Test("of a session's events")
    func sessionEvents() {
        let other = executor.read(session.events)
        let reader = executor.read(session.events)
        defer { reader.cancel() }
        executor.intervene { other.cancel() }
        bench.board.ringSilent.position = .silent
        #expect(executor.hasIntervened)
    }

    @Test("of the device's events")
    func deviceEvents() {
        let broadcast = Broadcast<DeviceEvent>()
        let other = executor.read(broadcast.subscribe(buffering: .bufferingNewest(1)))
        let reader = executor.read(broadcast.subscribe(buffering: .bufferingNewest(1)))
        defer { reader.cancel() }
        executor.intervene {
            other.cancel()
            _ = broadcast.subscribe(buffering: .bufferingNewest(1))
        }
        let event = DeviceEvent.switchMoved(.silent, source: "switch", at: MonotonicTime(nanoseconds: 1))
        #expect(broadcast.send(event) == 0)
        #expect(executor.hasIntervened)
    }

    @Test("of a property's changes")
    func propertyChanges() throws {
        let other = executor.read(try session.changes(of: "chov"))
        let reader = executor.read(try session.changes(of: "chov"))
        defer { reader.cancel() }
        executor.intervene { other.cancel() }
        bench.board.surroundings.set(.outputVolume(0.25))
        #expect(executor.hasIntervened)
    }

    @Test("of a property whose listeners are removed")
    func removedListeners() throws {
        let other = executor.read(try session.changes(of: "rout"))
        _ = executor.read(try session.changes(of: "chov"))
        executor.intervene { other.cancel() }
        try session.removeListeners(of: "chov")
        #expect(executor.hasIntervened)
    }
}
