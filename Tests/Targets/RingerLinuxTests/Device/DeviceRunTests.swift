import Glibc
import RingerLinux
import RingerCore
import RingerTestKit
import Synchronization
import SystemPackage
import Testing

@Suite("A firmware on the calling thread")
struct DeviceRunTests {
    /// A machine without any device.
    private var hardware: Device.Hardware {
        let nowhere: FilePath = "/nonexistent/ringer"
        return Device.Hardware(
            ringSilent: nil, motor: MotorSpecification.none,
            paths: HardwarePaths(
                devices: nowhere, input: nowhere, leds: nowhere, sound: nowhere, processes: nowhere))
    }

    // The firmware ran on the device's thread: while it blocked, no edge was handled and no motor turned off.
    @Test("it may block: the device's thread goes on")
    func blocks() throws {
        let caller = UInt(pthread_self())
        let threads = Record<Bool>()
        try Device.run(hardware) { device in
            let isDue = Latch()
            _ = device.clock.schedule(at: device.clock.now + .milliseconds(1)) { isDue.open() }
            isDue.wait()
            threads.append(UInt(pthread_self()) == caller)
            try await device.sleep(for: .milliseconds(1))
            threads.append(UInt(pthread_self()) == caller)
            #expect((device.clock as? EventLoop)?.isCurrentThread == false)
        }
        #expect(threads.all == [true, true])
    }

    @Test("a firmware that computes without a pause holds up neither a halt nor the end of a vibration")
    func spins() throws {
        let loop = try EventLoop(name: "test-device")
        let board = SimulatedBoard(clock: loop)
        let device = try Device(Device.Ports(simulated: board) { loop.close() })
        let done = Atomic(0)
        let isSpinning = Latch()
        let other = Thread {
            isSpinning.wait()
            board.ringSilent.position = .silent
        }
        let firmware = try EventLoop(onThisThreadAs: "firmware")
        try firmware.run {
            try device.start(.silence(duration: .seconds(3600), sampleRate: 8_000), category: .soloAmbient) { result in
                if case .silenced = result.outcome { done.add(1, ordering: .releasing) }
            }
            // On a busy machine the motor may turn on too late for a pulse that is this short: then it ends as failed.
            device.vibrator?.start(try VibrationPattern(milliseconds: "50")) { _ in done.add(1, ordering: .releasing) }
            isSpinning.open()
            // Until both were seen to end, or the test has failed.
            let limit = MonotonicTime.now + .seconds(50)
            while done.load(ordering: .acquiring) < 2, .now < limit {}
        }
        #expect(done.load(ordering: .relaxed) == 2 && !board.motor.isOn)
        other.join()
        device.close()
    }

    @Test("a file that cannot be read is an error of the call, also when it is read elsewhere")
    func missingFile() throws {
        try Device.run(hardware) { device in
            do throws(RingerError) {
                _ = try await device.play("/nonexistent/sound.wav")
                Issue.record("it played")
            } catch {
                #expect(error.code == .notFound && error.subject == "/nonexistent/sound.wav")
            }
        }
    }
}
