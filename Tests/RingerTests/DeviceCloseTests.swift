import Glibc
import Ringer
import RingerTestKit
import Synchronization
import Testing

@Suite("Closing a device", .timeLimit(.minutes(1)))
struct DeviceCloseTests {
    // It used to return at once: a process that received SIGTERM while closing ended with the motor turning.
    @Test("a second call returns when the first one is done")
    func second() throws {
        let log = Record<String>()
        let motor = SlowMotor(log)
        let device = try device(motor, clock: VirtualClock())
        let first = Thread { device.close() }
        motor.isClosing.wait()
        let isStarted = Latch()
        let second = Thread {
            isStarted.open()
            device.close()
            log.append("second")
        }
        isStarted.wait()
        // Gives a call that does not wait the time to return.
        for _ in 0..<1_000 { sched_yield() }
        motor.mayGoOn.open()
        first.join()
        second.join()
        #expect(log.all == ["motor off", "second"])
        device.close()
        #expect(log.all.count == 2)
    }

    @Test("a call from within the first one returns at once")
    func nested() throws {
        let log = Record<String>()
        let motor = SlowMotor(log)
        motor.mayGoOn.open()
        let device = try device(motor, clock: VirtualClock())
        motor.whileClosing { [weak device] in
            device?.close()
            log.append("nested")
        }
        device.close()
        #expect(log.all == ["nested", "motor off"])
    }

    @Test("the device's own thread and another one may close at the same time")
    func ownThread() throws {
        let log = Record<String>()
        let motor = SlowMotor(log)
        let loop = try EventLoop(name: "test-device")
        let device = try device(motor, clock: loop)
        let first = Thread { device.close() }
        motor.isClosing.wait()
        let (isStarted, isDone) = (Latch(), Latch())
        loop.execute {
            isStarted.open()
            device.close()
            log.append("own thread")
            isDone.open()
        }
        isStarted.wait()
        motor.mayGoOn.open()
        first.join()
        isDone.wait()
        #expect(log.all == ["motor off", "own thread"])
        loop.close()
    }

    // Its end waited for the clock: on a real-time board, whose clock is closed too, the sound and its device stayed.
    @Test("a simulated sound that closing stops has ended when it returns")
    func sounds() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let device = try Device.simulated(board)
        let sound = PCMBuffer(sampleRate: 48_000, channels: 1, samples: Array(repeating: 0, count: 48_000))
        try device.start(sound, category: .playback) { _ in }
        clock.advance(by: .milliseconds(250))
        device.close()
        #expect(board.speaker.recordings.map(\.outcome) == [.stopped])
        #expect(board.speaker.recordings.map(\.played) == [12_000])
    }

    private func device(_ motor: SlowMotor, clock: any DeviceClock) throws -> Device {
        let board = SimulatedBoard(clock: clock)
        var ports = Device.Ports(simulated: board)
        ports.motor = motor
        return try Device(ports)
    }
}

/// A motor that takes as long to be closed as the test wants.
private final class SlowMotor: VibrationMotor {
    let name = "slow motor"
    let isClosing = Latch()
    let mayGoOn = Latch()
    private let log: Record<String>
    private let body = Mutex<(@Sendable () -> Void)?>(nil)
    private let isClosed = Atomic(false)

    init(_ log: Record<String>) {
        self.log = log
    }

    /// Calls `body` while it is being closed.
    func whileClosing(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }

    func turnOn(strength: Float, limit: Duration) {}
    func turnOff() {}

    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        isClosing.open()
        mayGoOn.wait()
        body.withLock { $0 }?()
        log.append("motor off")
    }
}
