import Ringer
import RingerTestKit
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
