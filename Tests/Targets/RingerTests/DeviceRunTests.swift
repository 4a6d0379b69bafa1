import Glibc
import Ringer
import RingerHardware
import RingerCore
import SystemPackage
import Testing

@Suite("A firmware on the calling thread", .timeLimit(.minutes(1)))
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
    @Test("it may block: the device's thread goes on", .timeLimit(.minutes(1)))
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
