// A hardware-in-the-loop test without hardware: a firmware runs on a simulated board, in time that the test moves.
import Glibc
import Ringer
import RingerTestKit

/// The firmware under test: its bell sounds at ring and vibrates at silent.
struct Doorbell {
    let device: Device
    let chime: PCMBuffer

    func press() throws {
        guard device.decide(.session(.soloAmbient)).isHeard else {
            device.vibrator?.start(.standard)
            return
        }
        try device.start(chime, category: .soloAmbient)
    }
}

@main
struct FirmwareTest {
    static func main() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let bell = Doorbell(
            device: try Device.simulated(board),
            chime: PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 8_000, count: 48_000)))

        // The switch is flipped while the bell sounds: that sound stops at that sample.
        try bell.press()
        clock.advance(by: .milliseconds(250))
        board.ringSilent.position = .silent
        clock.advance(by: .seconds(1))
        check("the flip silences the bell", board.speaker.recordings.map(\.played) == [12_000])

        // At silent the bell is felt, and nothing is heard.
        try bell.press()
        clock.advance(by: .seconds(1))
        check("at silent the bell is felt", board.motor.turns.map(\.length) == [.milliseconds(400)])
        check("at silent nothing is heard", board.speaker.recordings.count == 1)
        check("the motor is off at the end", !board.motor.isOn)

        bell.device.close()
        exit(failures == 0 ? 0 : 1)
    }

    nonisolated(unsafe) static var failures = 0  // SAFETY: one thread, the one of main.

    static func check(_ behaviour: String, _ holds: Bool) {
        print(holds ? "ok:" : "FAILED:", behaviour)
        if !holds { failures += 1 }
    }
}
