import Glibc
import RingerLinux
import RingerTestKit
import Synchronization
import SystemPackage
import Testing

@Suite("Files that a device plays")
struct PlayedFileTests {
    private enum End: CaseIterable { case cancelled, stopped, released, closed }

    // The file was waited for, however long its read took, and its sound began afterwards.
    @Test("a call whose file is being read ends with its task, all sounds and the device", arguments: End.allCases)
    private func ends(_ end: End) async throws {
        let clock = VirtualClock()
        let jobs = Record<@Sendable () -> Void>()
        var ports = Device.Ports(simulated: SimulatedBoard(clock: clock))
        ports.clock = HoldingClock(clock: clock, jobs: jobs)
        let device = try Device(ports)
        let task = Task { try await device.play("/nonexistent/sound.wav").outcome }
        while jobs.all.isEmpty { await Task.yield() }
        switch end {
        case .cancelled: task.cancel()
        case .stopped: device.stopAll()
        case .released: await device.releaseOutput()
        case .closed: device.close()
        }
        let cause: SoundOutcome.StopCause =
            switch end {
            case .cancelled, .stopped: .caller
            case .released: .outputReleased
            case .closed: .closed
            }
        #expect(try await task.value == .stopped(cause))
        for job in jobs.all { job() }
        device.close()
        #expect(clock.pendingTimers == 0)
    }

    // Its task had the samples and did not run yet: nothing that could be stopped was known of the call. Its whole file was
    // heard afterwards.
    @Test(
        "a call whose file was just read ends with its task, all sounds and the device, and is not heard",
        arguments: End.allCases)
    private func endsAfterReading(_ end: End) throws {
        let (clock, jobs, file) = (VirtualClock(), Record<@Sendable () -> Void>(), try SoundOnDisk())
        let board = SimulatedBoard(clock: clock)
        var ports = Device.Ports(simulated: board)
        ports.clock = HoldingClock(clock: clock, jobs: jobs)
        let device = try Device(ports)
        let (executor, outcomes) = (HeldExecutor(), Record<SoundOutcome?>())
        let task = Task(executorPreference: executor) { [path = file.path] in
            outcomes.append(try? await device.play(path).outcome)
        }
        executor.run()
        for job in jobs.all { job() }
        switch end {
        case .cancelled: task.cancel()
        case .stopped: device.stopAll()
        case .released: device.releaseOutput()
        case .closed: device.close()
        }
        executor.run()
        clock.advance(by: .seconds(1))
        executor.run()
        #expect(outcomes.all.count == 1 && outcomes.all.first != .finished)
        #expect(board.speaker.recordings.allSatisfy { $0.played == 0 })
        device.close()
    }

    // Those that play(_:category:options:) reads had a budget of their own: four threads decoded at once.
    @Test("files that are played and system sounds are decoded two at a time, all together")
    func budget() async throws {
        let (clock, jobs) = (VirtualClock(), Record<@Sendable () -> Void>())
        let files = try (0..<4).map { _ in try SoundOnDisk() }
        var ports = Device.Ports(simulated: SimulatedBoard(clock: clock))
        ports.clock = HoldingClock(clock: clock, jobs: jobs)
        let device = try Device(ports)
        let executor = HeldExecutor()
        for file in files.prefix(2) { device.sounds.start(try device.sounds.register(file.path)) }
        for file in files.suffix(2) {
            Task(executorPreference: executor) { [path = file.path] in _ = try? await device.play(path) }
        }
        executor.run()
        #expect(jobs.all.count == 2)
        device.close()
    }
}

/// A WAV file of 100 ms, removed with the object.
private final class SoundOnDisk: Sendable {
    let path: String

    init() throws {
        // RIFF, fmt (PCM, one channel, 48 kHz, 16 bits) and data.
        var bytes = Array("RIFF".utf8) + [0xa4, 0x25, 0, 0] + Array("WAVEfmt ".utf8)
        bytes += [16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xbb, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]
        bytes += Array("data".utf8) + [0x80, 0x25, 0, 0]
        bytes += [UInt8](repeating: 0, count: 9600)
        var name = Array("/tmp/ringer-test-XXXXXX".utf8CString)
        let descriptor = FileDescriptor(rawValue: mkstemp(&name))
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
    }

    deinit { unlink(path) }
}

/// Runs tasks on the test's own thread, when the test says so.
private final class HeldExecutor: TaskExecutor {
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
}

/// A virtual clock on whose device reads begin when the test says so.
private struct HoldingClock: DeviceClock {
    let clock: VirtualClock
    let jobs: Record<@Sendable () -> Void>

    var now: MonotonicTime { clock.now }
    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        clock.schedule(at: deadline, body)
    }
    func callBack(_ body: @escaping @Sendable () -> Void) { clock.callBack(body) }
    func runAside(_ body: @escaping @Sendable () -> Void) { jobs.append(body) }
}
