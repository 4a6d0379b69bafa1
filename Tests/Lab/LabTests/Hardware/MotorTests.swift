import Glibc
import RingerLinux
import RingerCore
import Testing

/// The board's motors as a user names them, and the line that each drives.
enum LabMotor: String, CaseIterable, Sendable {
    case forceFeedback = "ff:auto,name=gpio-vibrator"
    case led = "led:vibrator"
    case line = "gpio:vibrator"

    var line: Int {
        switch self {
        case .forceFeedback: LabBoard.motorLine
        case .led: LabBoard.ledMotorLine
        case .line: LabBoard.rawMotorLine
        }
    }

    func open(_ loop: EventLoop) throws -> any VibrationMotor {
        guard let motor = try MotorSpecification(rawValue).make(loop: loop) else {
            throw LabFailure("\(rawValue) makes no motor")
        }
        return motor
    }

    func isTurning() throws -> Bool { try LabBoard.chip.isHigh(line) }
}

extension VirtualTime {
    @Suite struct MotorTests {
        @Test("the motor's line is high for exactly the pattern's times", arguments: LabMotor.allCases)
        func pattern(_ motor: LabMotor) async throws {
            try await withVibrator(motor) { vibrator in
                let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
                let pattern = try VibrationPattern(milliseconds: "400,200,100,50,30,70", repetition: .times(2))
                #expect(await vibrator.vibrate(pattern) == .finished)
                #expect(try !motor.isTurning())
                try await expectPulses(recorder, [400, 100, 30, 400, 100, 30])
            }
        }

        // The kernel stopped it after 32.767 s, while the vibration went on.
        @Test("a motor turns for as long as the longest on-time allows", arguments: LabMotor.allCases)
        func longPulse(_ motor: LabMotor) async throws {
            try await withVibrator(motor, longestOnTime: .seconds(60)) { vibrator in
                let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
                #expect(await vibrator.vibrate(try VibrationPattern(milliseconds: "40000")) == .finished)
                try await expectPulses(recorder, [40_000])
            }
        }

        // It started its thread for that.
        @Test("a motor on a GPIO line that never turned is closed without a thread")
        func closingUnused() async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let motor = try GPIOMotor(.named("vibrator"), loop: loop)
            #expect(motor.closesAtOnce)
            let vibrator = Vibrator(motor: motor, clock: loop)
            _ = await vibrator.vibrate(try VibrationPattern(milliseconds: "10"))
            #expect(!motor.closesAtOnce)
            try await vibrator.close()
            let unused = Vibrator(motor: try GPIOMotor(.named("vibrator"), loop: loop), clock: loop)
            try await unused.close()
            // The line is free again.
            try GPIOMotor(.named("vibrator"), loop: loop).close()
        }

        @Test("a motor that is stopped is low at once", arguments: LabMotor.allCases)
        func stop(_ motor: LabMotor) async throws {
            try await withVibrator(motor) { vibrator in
                let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
                let ends = Probe<SoundOutcome>(try EventLoop(name: "lab-end"))
                vibrator.start(try VibrationPattern(milliseconds: "5000")) { ends.tell($0) }
                try await Task.sleep(for: .milliseconds(123))
                #expect(try motor.isTurning())
                vibrator.stop()
                // The drivers set the line from a work queue.
                try await Task.sleep(for: .milliseconds(1))
                #expect(try !motor.isTurning())
                #expect(try await ends.next() == .stopped(.caller))
                try await expectPulses(recorder, [123])
            }
        }

        @Test("no pattern turns the motor for longer than the longest on-time", arguments: LabMotor.allCases)
        func longestOnTime(_ motor: LabMotor) async throws {
            try await withVibrator(motor) { vibrator in
                let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
                #expect(await vibrator.vibrate(try VibrationPattern(milliseconds: "60000")) == .stopped(.limited))
                #expect(try !motor.isTurning())
                try await expectPulses(recorder, [10_000])
            }
        }

        @Test(
            "a motor that nobody turns off is turned off by the kernel after its limit",
            arguments: [LabMotor.forceFeedback, .led], [50, 300, 1_000])
        func limit(_ motor: LabMotor, milliseconds: Int) async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let port = try motor.open(loop)
            let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
            try port.turnOn(strength: 1, limit: .milliseconds(milliseconds))
            try await Task.sleep(for: .seconds(2))
            // The kernel's timers tick at 100 Hz, and are late by an eighth of a long time.
            try await expectPulses(recorder, [milliseconds], tolerance: .milliseconds(20 + milliseconds / 8))
            try port.turnOff()
            try port.close()
        }

        @Test("turned on again, the motor's limit begins anew", arguments: [LabMotor.forceFeedback, .led])
        func renewal(_ motor: LabMotor) async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let port = try motor.open(loop)
            let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
            for _ in 0..<3 {
                try port.turnOn(strength: 1, limit: .milliseconds(300))
                try await Task.sleep(for: .milliseconds(200))
            }
            try port.turnOn(strength: 0.5, limit: .milliseconds(500))
            try await Task.sleep(for: .seconds(2))
            try await expectPulses(recorder, [1_100], tolerance: .milliseconds(80))
            try port.close()
        }

        @Test("a motor that is closed, or dropped, is low", arguments: LabMotor.allCases)
        func closing(_ motor: LabMotor) async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let recorder = try LineRecorder(LabBoard.chip, line: motor.line)
            for isClosed in [true, false] {
                let port = try motor.open(loop)
                try port.turnOn(strength: 1, limit: .seconds(10))
                try await Task.sleep(for: .milliseconds(100))
                #expect(try motor.isTurning())
                if isClosed { try port.close() }
                withExtendedLifetime(port) {}
            }
            try await Task.sleep(for: .milliseconds(100))
            #expect(try !motor.isTurning())
            // Twice 100 ms, or one turn where the second begins before the recorder looks again.
            let turned = try await recorder.stop().reduce(Duration.zero) { $0 + $1.length }
            #expect(turned >= .milliseconds(198) && turned <= .milliseconds(203), "\(turned)")
        }

        private func withVibrator(
            _ motor: LabMotor, longestOnTime: Duration = .seconds(10), _ body: (Vibrator) async throws -> Void
        ) async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let vibrator = Vibrator(motor: try motor.open(loop), clock: loop, longestOnTime: longestOnTime)
            try await body(vibrator)
            try await vibrator.close()
        }

        /// What was recorded is exact to the recorder's interval at either end.
        private func expectPulses(
            _ recorder: LineRecorder, _ milliseconds: [Int], tolerance: Duration = .milliseconds(1),
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let lengths = try await recorder.stop().map(\.length)
            #expect(lengths.count == milliseconds.count, sourceLocation: sourceLocation)
            for (length, expected) in zip(lengths, milliseconds) {
                let difference = length - .milliseconds(expected)
                #expect(
                    difference >= .milliseconds(-1) - Lab.lateness && difference <= tolerance + Lab.lateness,
                    "\(length) instead of \(expected) ms", sourceLocation: sourceLocation)
            }
        }
    }
}

extension EitherTime {
    @Suite struct MotorTests {
        @Test(
            "the motor of a process that is killed in mid-vibration is turned off by the kernel, or when it is opened again",
            arguments: LabMotor.allCases)
        func killed(_ motor: LabMotor) async throws {
            let tool = try #require(CommandLine.arguments.first).split(separator: "/").dropLast().map { "/\($0)" }
            let ringer = try ChildProcess(
                tool.joined() + "/ringer", "vibrate", "--board", "simulated", "--motor", motor.rawValue, "--pattern",
                "9000")
            for _ in 0..<6_000 {
                guard try !motor.isTurning() else { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let output = try ringer.output()
            try #require(try motor.isTurning(), "\(output)")
            try ringer.send(SIGKILL)
            #expect(try await ringer.wait().status == 128 + SIGKILL)
            if motor == .line {
                // The simulated chip lets a line go that nobody holds; a real one may keep its level.
                try LabBoard.chip.setPull(motor.line, .up)
            }
            #expect(try motor.isTurning() == (motor != .forceFeedback))
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let port = try motor.open(loop)
            // The drivers set the line from a work queue.
            try await Task.sleep(for: .milliseconds(10))
            #expect(try !motor.isTurning())
            try LabBoard.chip.setPull(motor.line, .down)
            try port.close()
        }

        @Test("a strength is a magnitude of both motors, uploaded under one number, and the gain is left alone")
        func effects() async throws {
            let input = try VirtualInput(.rumble(effects: 4), name: "test-motor")
            try await blocking {
                let motor = try ForceFeedbackMotor(.automatic(name: "test-motor"))
                #expect(motor.name == "force feedback \(input.path) (test-motor)")
                try motor.turnOn(strength: 1, limit: .milliseconds(1_500))
                try motor.turnOff()
                try motor.turnOn(strength: 1, limit: .milliseconds(1_500))
                try motor.turnOn(strength: 0.5, limit: .seconds(60))
                try motor.turnOn(strength: .nan, limit: .seconds(1))
                try motor.close()
                try motor.close()
                try motor.turnOff()
                let error = #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
                #expect(error?.code == .closed)
            }
            #expect(
                input.motorCommands == [
                    .upload(effect: 0, strong: 65_535, weak: 65_535, milliseconds: 1_500),
                    .play(effect: 0, count: 1), .play(effect: 0, count: 0), .play(effect: 0, count: 1),
                    .upload(effect: 0, strong: 32_768, weak: 32_768, milliseconds: 32_767),
                    .play(effect: 0, count: 1), .play(effect: 0, count: 0), .play(effect: 0, count: 0),
                    // The kernel's own, before it erases.
                    .play(effect: 0, count: 0), .erase(effect: 0),
                ])
        }

        @Test("an effect that the device has no room for is an error with its reason, and the next one may succeed")
        func noRoom() async throws {
            let input = try VirtualInput(.rumble(effects: 1), name: "test-motor")
            let motor = try ForceFeedbackMotor(.automatic(name: "test-motor"))
            input.failUploads(with: ENOSPC)
            try await blocking {
                let error = #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
                #expect(error?.errno == .noSpace)
                try motor.turnOff()
            }
            input.failUploads(with: 0)
            try await blocking {
                try motor.turnOn(strength: 1, limit: .seconds(1))
                try motor.close()
            }
            #expect(input.motorCommands.contains(.play(effect: 0, count: 1)))
        }

        // The device's thread waited in EVIOCSFF for 30 s, and the flip with it.
        @Test("a flip is not late where a motor's program does not answer, and opening such a motor waits for nothing")
        func unanswered() async throws {
            let input = try VirtualInput(.silentRumble, name: "test-motor")
            let motor = MotorSpecification.forceFeedback(.automatic(name: "test-motor"))
            let lab = try LabDevice(.init(motor: motor, pcm: "null"))
            #expect(try await lab.nextPosition().0 == .ring)
            let vibrator = try #require(lab.device.vibrator)
            let end = Task { await vibrator.vibrate(.standard) }
            let request = try await input.nextUpload()
            try LabBoard.setSwitch(silent: true)
            #expect(try await lab.nextPosition().0 == .silent)
            #expect(input.isWaiting(request))
            #expect(!vibrator.name.isEmpty)
            try LabBoard.setSwitch(silent: false)
            #expect(try await lab.nextPosition().0 == .ring)
            #expect(input.isWaiting(request))
            try input.unplug()
            let outcome = await end.value
            guard case .failed = outcome else { throw LabFailure("\(outcome)") }
        }

        @Test("a motor that was unplugged is an error, and turns again once it is plugged")
        func unplugged() async throws {
            let before = try openDevices()
            var input = try VirtualInput(.rumble(effects: 1), name: "test-motor")
            let motor = try ForceFeedbackMotor(.automatic(name: "test-motor"))
            try await blocking { try motor.turnOn(strength: 1, limit: .seconds(1)) }
            try input.unplug()
            try await blocking {
                #expect(throws: RingerError.self) { try motor.turnOff() }
                try motor.turnOff()
                let error = #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
                #expect(error?.code == .notFound)
            }
            for _ in 0..<2 {
                input = try VirtualInput(.rumble(effects: 1), name: "test-motor")
                try await blocking { try motor.turnOn(strength: 1, limit: .seconds(1)) }
                // What is played comes to the device by another way than what is uploaded.
                for _ in 0..<100 {
                    guard input.motorCommands.last != .play(effect: 0, count: 1) else { break }
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(input.motorCommands.last == .play(effect: 0, count: 1))
                // Not turned off: the next one finds the device gone, and the new one there.
                try input.unplug()
            }
            // The turning device is gone and could not be stopped; no descriptor of it is left open.
            #expect(throws: RingerError.self) { try motor.close() }
            try motor.close()
            withExtendedLifetime(input) {}
            let after = try openDevices()
            #expect(after == before)
        }

        @Test("a line's motor on a chip that was removed is an error, and turns again once the chip is back")
        func chipRemoved() async throws {
            let pluggable = try PluggableChip(name: "side", lines: 4, lineNames: [1: "side-motor"])
            var chip = try pluggable.plug()
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let motor = try GPIOMotor(.named("side-motor"), loop: loop)
            try motor.turnOn(strength: 0.1, limit: .seconds(1))
            #expect(try chip.isHigh(1))
            try pluggable.unplug()
            let unreachable = #expect(throws: RingerError.self) { try motor.turnOff() }
            #expect(unreachable?.code == .unreachable)
            #expect(throws: RingerError.self) { try motor.turnOn(strength: 1, limit: .seconds(1)) }
            chip = try pluggable.plug()
            try motor.turnOff()
            #expect(try !chip.isHigh(1))
            try motor.turnOn(strength: 1, limit: .seconds(1))
            #expect(try chip.isHigh(1))
            try motor.close()
            #expect(try !chip.isHigh(1))
        }

        @Test("a line's motor is low from the start, and active low the other way round")
        func activeLow() throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let motor = try GPIOMotor(.offset(10, chip: "gpiochip0"), isActiveLow: true, loop: loop)
            #expect(try LabBoard.chip.isHigh(10))
            try motor.turnOn(strength: 1, limit: .seconds(1))
            #expect(try !LabBoard.chip.isHigh(10))
            try motor.turnOff()
            #expect(try LabBoard.chip.isHigh(10))
            try motor.close()
        }

        @Test("a line offset below 0 is no line: line 0 stays as it is")
        func negativeOffset() throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let pluggable = try PluggableChip(name: "side", lines: 4)
            let chip = try pluggable.plug()
            let error = #expect(throws: RingerError.self) {
                _ = try GPIOMotor(.offset(-1, chip: chip.devicePath), loop: loop)
            }
            #expect(error?.code == .invalid)
            // It is free.
            let motor = try GPIOMotor(.offset(0, chip: chip.devicePath), loop: loop)
            try motor.close()
        }

        @Test("an LED that lost its trigger is turned off all the same, and gets it again")
        func lostTrigger() async throws {
            let loop = try EventLoop(name: "lab-motor")
            defer { loop.close() }
            let motor = try LEDMotor(loop: loop)
            #expect(motor.isStoppedByKernel)
            try motor.turnOn(strength: 1, limit: .seconds(10))
            try await Task.sleep(for: .milliseconds(10))
            #expect(try LabMotor.led.isTurning())
            try KernelFile.write("none", to: "\(LabBoard.ledFolder)/trigger")
            try KernelFile.write("255", to: "\(LabBoard.ledFolder)/brightness")
            try motor.turnOff()
            try await Task.sleep(for: .milliseconds(10))
            #expect(try !LabMotor.led.isTurning())
            try motor.turnOn(strength: 1, limit: .seconds(10))
            #expect(try KernelFile.read("\(LabBoard.ledFolder)/trigger").contains("[transient]"))
            try await Task.sleep(for: .milliseconds(10))
            #expect(try LabMotor.led.isTurning())
            try motor.close()
            try await Task.sleep(for: .milliseconds(10))
            #expect(try !LabMotor.led.isTurning())
        }
    }
}
