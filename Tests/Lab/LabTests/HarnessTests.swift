import CLabSupport
import Glibc
import Testing

// The laboratory itself, through nothing but the kernel's own interfaces: the other tests rest on what these show.

extension EitherTime {
    @Suite struct HarnessTests {
        @Test("the pull of the switch's line is SW_MUTE_DEVICE in evdev")
        func switchLine() async throws {
            let device = try InputDevice(named: LabBoard.switchName)
            #expect(try !device.isOn(switch: Int(SW_MUTE_DEVICE)))

            try LabBoard.setSwitch(silent: true)
            let flip = try await device.next(within: .seconds(5))
            #expect(flip.type == UInt16(EV_SW) && flip.code == SwitchCode.muteDevice && flip.value == 1)
            #expect(try device.isOn(switch: Int(SW_MUTE_DEVICE)))

            try LabBoard.setSwitch(silent: false)
            let back = try await device.next(within: .seconds(5))
            #expect(back.value == 0 && back.time > flip.time)
        }

        @Test("each position of the slider is its value on ABS_SND_PROFILE")
        func slider() async throws {
            let device = try InputDevice(named: LabBoard.sliderName)
            // Opened, it says 0 until the driver has looked at the lines for the first time.
            for position in [LabBoard.SliderPosition.ring, .silent, .vibrate, .ring] {
                try LabBoard.setSlider(position)
                while try device.value(ofAxis: AxisCode.soundProfile) != Int32(position.rawValue) {
                    #expect(try await device.next(within: .seconds(5)).code == AxisCode.soundProfile)
                }
            }
        }

        @Test("a plugged chip shows its named lines, and comes back after it was unplugged")
        func chip() async throws {
            let pluggable = try PluggableChip(name: "side", lines: 4, lineNames: [2: "side-switch"])
            for _ in 0..<2 {
                let chip = try pluggable.plug()
                try chip.setPull(2, .up)
                #expect(try chip.isHigh(2))
                let info = try await ChildProcess.gpioinfo(chip.devicePath)
                #expect(info.status == 0 && info.output.contains("side-switch"))
                try pluggable.unplug()
                #expect(access(chip.devicePath, F_OK) == -1)
            }
        }

        @Test("a device that the test plugs in reports what the test does, and is gone when unplugged")
        func virtualSwitch() async throws {
            let input = try VirtualInput(.switches([SwitchCode.muteDevice]), name: "test-switch")
            let device = try InputDevice(named: "test-switch")
            #expect(device.path == input.path)
            try input.setSwitch(SwitchCode.muteDevice, on: true)
            #expect(try await device.next(within: .seconds(5)).value == 1)
            try input.unplug()
            await #expect(throws: LabFailure.self) { try await device.next(within: .seconds(5)) }
            #expect(access(input.path, F_OK) == -1)
        }

        @Test("a motor that the test plugs in records what was requested of it")
        func virtualMotor() async throws {
            let input = try VirtualInput(.rumble(effects: 4), name: "test-motor")
            try await blocking { try InputDevice(named: "test-motor").playRumble(milliseconds: 250) }
            #expect(
                await input.motorCommands(count: 4) == [
                    .upload(effect: 0, strong: 0xffff, weak: 0xffff, milliseconds: 250),
                    .play(effect: 0, count: 1),
                    .play(effect: 0, count: 0),
                    .erase(effect: 0),
                ])
        }

        @Test("what aplay plays to the loopback card comes back, sample for sample", arguments: [4_800, 4_801, 7_777])
        func loopback(frames: Int) async throws {
            let clip = (1...frames).map { Int16($0) }
            let path = "\(Lab.temporaryFolder)/played.raw"
            defer { unlink(path) }
            try write(clip, to: path)

            let recorder = try LoopbackRecorder(rate: 48_000, channels: 1)
            let format = ["-q", "-t", "raw", "-f", "S16_LE", "-r", "48000", "-c", "1"]
            let player = try await ChildProcess(["aplay", "-D", "loopback"] + format + [path]).wait()
            #expect(player == ChildProcess.Outcome(status: 0, output: ""))

            let record = try await recorder.stop()
            let start = try #require(record.firstIndex { $0 != 0 })
            let isEqual = record.dropFirst(start).prefix(frames).elementsEqual(clip)
            #expect(isEqual, "\(difference(record.dropFirst(start), clip))")
            #expect(record.dropFirst(start + frames).allSatisfy { $0 == 0 })
        }

        private func difference(_ record: some Collection<Int16>, _ clip: [Int16]) -> String {
            guard let index = zip(record, clip).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
                return "ends early: \(record.count) samples of \(clip.count)"
            }
            return "differs from sample \(index) on"
        }

        private func write(_ samples: [Int16], to path: String) throws {
            guard let file = fopen(path, "w") else { throw LabFailure.system("fopen", path) }
            defer { fclose(file) }
            guard fwrite(samples, 2, samples.count, file) == samples.count else {
                throw LabFailure.system("fwrite", path)
            }
        }
    }
}

extension VirtualTime {
    @Suite struct HarnessTests {
        @Test("sleeping takes exactly its time on the guest's clock")
        func sleeping() async throws {
            let elapsed = try await ContinuousClock().measure { try await Task.sleep(for: .seconds(5)) }
            #expect(elapsed >= .seconds(5) && elapsed < .seconds(5) + .microseconds(100) + Lab.lateness)
        }

        @Test("a rumble of 400 ms drives the motor's line for 400 ms")
        func rumble() async throws {
            let recorder = try LineRecorder(LabBoard.chip, line: LabBoard.motorLine)
            let device = try InputDevice(named: LabBoard.motorName)
            try device.playRumble(milliseconds: 400)
            try await Task.sleep(for: .seconds(1))
            try expectOnePulse(try await recorder.stop(), of: .milliseconds(400))
        }

        @Test("a transient of 300 ms drives the LED's line for 300 ms")
        func transient() async throws {
            let recorder = try LineRecorder(LabBoard.chip, line: LabBoard.ledMotorLine)
            try KernelFile.write("300", to: "\(LabBoard.ledFolder)/duration")
            try KernelFile.write("1", to: "\(LabBoard.ledFolder)/state")
            try KernelFile.write("1", to: "\(LabBoard.ledFolder)/activate")
            try await Task.sleep(for: .seconds(1))
            try expectOnePulse(try await recorder.stop(), of: .milliseconds(300))
        }

        @Test("the motor's line is low as soon as the device that plays is closed")
        func closing() async throws {
            let recorder = try LineRecorder(LabBoard.chip, line: LabBoard.motorLine)
            do {
                let device = try InputDevice(named: LabBoard.motorName)
                try device.playRumble(milliseconds: 10_000)
                try await Task.sleep(for: .milliseconds(50))
                withExtendedLifetime(device) {}
            }
            try await Task.sleep(for: .seconds(1))
            try expectOnePulse(try await recorder.stop(), of: .milliseconds(50))
        }

        /// The kernel's own timers tick at 100 Hz, on the guest's clock.
        private func expectOnePulse(_ pulses: [LineRecorder.Pulse], of length: Duration) throws {
            #expect(pulses.count == 1)
            let pulse = try #require(pulses.first)
            #expect((length - .milliseconds(1)...length + .milliseconds(20)).contains(pulse.length))
        }
    }
}
