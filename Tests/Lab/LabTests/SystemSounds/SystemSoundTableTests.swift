import SystemSounds
import RingerLinux
import Testing

/// The table of play, alert and vibrate against the switch, on the drivers: samples from the loopback, the motor's line,
/// the completion's time. All of it in virtual time.
extension VirtualTime {
    @Suite struct SystemSoundTableTests {
        /// What is done.
        enum Call: Sendable, CaseIterable {
            case play, alert, vibrate
        }

        /// A cell of the table.
        struct Cell: Sendable, CustomTestStringConvertible {
            var call: Call
            var isSilent: Bool
            var vibrateOnSilent: Bool
            var isHeard: Bool
            var isFelt: Bool

            var testDescription: String {
                "\(call) at \(isSilent ? "silent" : "ring")\(vibrateOnSilent ? "" : ", vibrate on silent off")"
            }
        }

        static let cells = [
            Cell(call: .play, isSilent: false, vibrateOnSilent: true, isHeard: true, isFelt: false),
            Cell(call: .play, isSilent: true, vibrateOnSilent: true, isHeard: false, isFelt: false),
            Cell(call: .alert, isSilent: false, vibrateOnSilent: true, isHeard: true, isFelt: true),
            Cell(call: .alert, isSilent: true, vibrateOnSilent: true, isHeard: false, isFelt: true),
            Cell(call: .alert, isSilent: true, vibrateOnSilent: false, isHeard: false, isFelt: false),
            Cell(call: .vibrate, isSilent: false, vibrateOnSilent: true, isHeard: false, isFelt: true),
            Cell(call: .vibrate, isSilent: true, vibrateOnSilent: false, isHeard: false, isFelt: true),
        ]

        @Test("each cell is heard, felt and completed as the table says", arguments: cells)
        func cell(_ cell: Cell) async throws {
            try LabBoard.setSwitch(silent: cell.isSilent)
            try await Task.sleep(for: .milliseconds(50))
            let lab = try LabDevice(.init(pcm: "loopback"))
            lab.device.preferences.vibrateOnSilent = cell.vibrateOnSilent
            let sound = DeviceSoundTests.sound(.milliseconds(300))
            let id = try lab.device.sounds.register(sound)
            let line = try LineRecorder(LabBoard.chip, line: LabBoard.motorLine)
            let recorder = try LoopbackRecorder()

            let result =
                switch cell.call {
                case .play: await lab.device.sounds.play(id)
                case .alert: await lab.device.sounds.playAlert(id)
                case .vibrate: await lab.device.sounds.play(.vibrate)
                }

            let heard = try await recorder.stop().filter { $0 != 0 }
            let pulses = try await line.stop()
            #expect(heard == (cell.isHeard ? sound.samples : []))
            #expect(result.vibrated == cell.isFelt)
            #expect(pulses.count == (cell.isFelt ? 1 : 0))
            for pulse in pulses {
                let difference = pulse.length - .milliseconds(400)
                let tolerance: Duration = .milliseconds(1) + Lab.lateness
                #expect(difference >= .zero - tolerance && difference <= tolerance, "\(pulse)")
            }
            // A silenced one completes at once, one that is felt after its vibration, one that is only heard after its
            // sound; the loopback's position moves in steps of 10 ms.
            let length: Duration = cell.isFelt ? .milliseconds(400) : cell.isHeard ? .milliseconds(300) : .zero
            #expect(result.completedAfter >= length - .milliseconds(10))
            let late: Duration = cell.isHeard ? .milliseconds(20) : .milliseconds(2)
            #expect(result.completedAfter <= length + late + Lab.lateness)
        }

        @Test("an alert continues from completion to completion, and ends within 10 ms of 20 s")
        func timesOut() async throws {
            let lab = try LabDevice(.init(pcm: "hw:Dummy"))
            let id = try lab.device.sounds.register(DeviceSoundTests.sound(.milliseconds(700)))
            let result = await lab.device.alerts.alert(id)
            #expect(result.outcome == .stopped(.limited))
            #expect(abs(result.elapsed / .milliseconds(1) - 20_000) <= 10, "\(result.elapsed)")
            #expect(result.rounds > 20)
            #expect(try !LabBoard.chip.isHigh(LabBoard.motorLine))
        }

        @Test("a flip in mid-alert turns the sound into a vibration, and back")
        func flipInAlert() async throws {
            let lab = try LabDevice(.init(motor: .gpio(.named("vibrator")), pcm: "loopback"))
            lab.device.preferences.vibrateOnRing = false
            let id = try lab.device.sounds.register(DeviceSoundTests.sound(.milliseconds(500)))
            let line = try LineRecorder(LabBoard.chip, line: LabBoard.rawMotorLine)
            let recorder = try LoopbackRecorder()
            async let result = lab.device.alerts.alert(id, limit: .seconds(3))
            try await Task.sleep(for: .seconds(1))
            try LabBoard.setSwitch(silent: true)
            try await Task.sleep(for: .seconds(1))
            try LabBoard.setSwitch(silent: false)
            let outcome = await result
            let heard = try await recorder.stop()
            let turned = try await line.stop().reduce(Duration.zero) { $0 + $1.length }
            #expect(outcome.sounded && outcome.vibrated)
            // A second of each: a second of sound, a second of vibration and its rests, a second of sound.
            let sounded = heard.count { $0 != 0 }
            #expect(sounded > 80_000 && sounded <= 98_000, "\(sounded) frames")
            #expect(turned > .milliseconds(600) && turned < .milliseconds(1020), "\(turned)")
            #expect(try !LabBoard.chip.isHigh(LabBoard.rawMotorLine))
        }

        @Test("a touch tone on the loopback is the one that was asked for, sample for sample")
        func touchTone() async throws {
            let lab = try LabDevice(.init(pcm: "loopback"))
            let recorder = try LoopbackRecorder()
            let result = await lab.device.sounds.play(1205)
            #expect(result.outcome == .finished)
            let heard = try await recorder.stop()
            let recipe = try #require(PredefinedSound.withID(1205)?.recipe(on: .phone))
            let tone = SoundSynthesizer.render(recipe).samples
            let first = try #require(heard.firstIndex { $0 != 0 })
            let leading = try #require(tone.firstIndex { $0 != 0 })
            #expect(heard[first...].prefix(tone.count - leading).elementsEqual(tone[leading...]))
        }
    }
}
