import Glibc
import RingerLinux
import RingerTestKit
import Testing

/// The motor, and the sources of the state, of a machine that sleeps.
@Suite struct SystemSleepTests {
    private struct Bench {
        let clock = VirtualClock()
        let board: SimulatedBoard
        let device: Device
        let ends = Record<SoundOutcome>()

        init() throws {
            board = SimulatedBoard(clock: clock)
            device = try Device.simulated(board)
        }

        func vibrate(_ milliseconds: String, repetition: VibrationPattern.Repetition = .times(1)) throws {
            let pattern = try VibrationPattern(milliseconds: milliseconds, repetition: repetition)
            let ends = ends
            device.vibrator?.start(pattern) { ends.append($0) }
        }

        /// How long the motor turned, each time.
        var turns: [Duration?] { board.motor.turns.map(\.length) }
    }

    @Test(
        "the motor is off when the preparation returns; the vibration was stopped, and the next one after the sleep works"
    )
    func prepared() throws {
        let bench = try Bench()
        try bench.vibrate("5000")
        bench.clock.advance(by: .milliseconds(300))
        #expect(bench.device.prepareForSleep())
        #expect(!bench.board.motor.isOn && bench.ends.all == [.stopped(.caller)])
        bench.clock.sleep(for: .seconds(3600))
        // Nobody has reported the waking yet.
        try bench.vibrate("400")
        bench.board.surroundings.set(.wokeFromSleep)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == [.stopped(.caller), .finished])
        #expect(bench.turns == [.milliseconds(300), .milliseconds(400)])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test(
        "a vibration between the preparation and the sleep fails and says why, and an alert does not turn the motor on again"
    )
    func betweenPreparationAndSleep() throws {
        let bench = try Bench()
        bench.device.alerts.start(4095, way: .vibration, limit: nil, pause: .milliseconds(20))
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.board.motor.isOn)
        bench.device.prepareForSleep()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == [.milliseconds(100)])
        try bench.vibrate("400")
        #expect(
            bench.ends.all.map { "\($0)" }
                == ["failed(vibration motor: cannot vibrate: in use (the machine is about to sleep))"])
        bench.clock.sleep(for: .seconds(60))
        bench.clock.advance(by: .milliseconds(200))
        #expect(bench.board.motor.isOn, "it rings on after the sleep")
        bench.device.alerts.stop()
    }

    // An announcement of the evening waited for its speaker, and was heard in the morning.
    @Test("an announcement that had not begun when its time was over in the sleep ends when the machine wakes")
    func announcement() throws {
        let bench = try Bench()
        bench.board.speaker.busyPatience = .seconds(3600)
        bench.board.speaker.fault = .busy
        let outcomes = Record<SoundOutcome>()
        let chime = PCMBuffer.silence(duration: .milliseconds(100), sampleRate: 48_000)
        try bench.device.announcements.add(Announcement(chime, expiry: .seconds(60))) { outcomes.append($0.outcome) }
        bench.clock.advance(by: .seconds(10))
        bench.clock.sleep(for: .seconds(8 * 3600))
        bench.board.surroundings.set(.wokeFromSleep)
        bench.board.speaker.fault = nil
        bench.clock.advance(by: .seconds(1))
        #expect(outcomes.all == [.stopped(.expired)] && bench.board.speaker.recordings.allSatisfy { $0.start == nil })
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("after a sleep that was given up the motor turns again: at once where that is reported, else after 10 s")
    func givenUp() throws {
        let bench = try Bench()
        bench.device.prepareForSleep()
        bench.device.wokeFromSleep()
        try bench.vibrate("400")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == [.finished])
        bench.device.prepareForSleep()
        bench.clock.advance(by: .seconds(10))
        try bench.vibrate("400")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == [.finished, .finished])
    }

    @Test(
        "a motor that turned when the machine fell asleep unprepared is off after the waking, and the next vibration works",
        arguments: ["5000", "200,300"])
    func unprepared(pattern: String) throws {
        let bench = try Bench()
        try bench.vibrate(pattern, repetition: .untilStopped)
        bench.clock.advance(by: .milliseconds(150))
        bench.clock.sleep(for: .seconds(8 * 3600))
        bench.board.surroundings.set(.wokeFromSleep)
        #expect(!bench.board.motor.isOn && bench.ends.all == [.stopped(.caller)])
        bench.clock.advance(by: .milliseconds(100))
        try bench.vibrate("400")
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == [.stopped(.caller), .finished])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a timer that expires after the sleep, before its report, stops the motor too")
    func timerFirst() throws {
        let bench = try Bench()
        try bench.vibrate("100,50", repetition: .untilStopped)
        bench.clock.advance(by: .milliseconds(90))
        bench.clock.sleep(for: .seconds(60))
        bench.clock.advance(by: .milliseconds(10))
        #expect(!bench.board.motor.isOn && bench.ends.all == [.stopped(.caller)])
    }

    @Test("the time of a sleep counts for the longest on-time of a motor that nobody turned off")
    func limit() throws {
        let bench = try Bench()
        try bench.vibrate("5000")
        bench.clock.advance(by: .seconds(1))
        bench.clock.sleep(for: .seconds(7))
        bench.board.surroundings.set(.wokeFromSleep)
        // 8 of 10 s are used up where the motor does not rest.
        try bench.vibrate("5000")
        bench.clock.advance(by: .seconds(5))
        #expect(bench.ends.all == [.stopped(.caller), .stopped(.limited)])
        #expect(bench.turns == [.seconds(1), .seconds(2)])
    }

    @Test(
        "a motor that does not turn off at the first attempts is off when the preparation returns; one that never does is named"
    )
    func failures() throws {
        let bench = try Bench()
        let failure = RingerError(.system, "turn off", "simulated motor")
        try bench.vibrate("5000")
        bench.board.motor.failTurnOff(with: [failure, failure])
        #expect(bench.device.prepareForSleep() && !bench.board.motor.isOn)
        bench.device.wokeFromSleep()
        try bench.vibrate("5000")
        bench.board.motor.failTurnOff(with: Array(repeating: failure, count: 5))
        #expect(!bench.device.prepareForSleep() && bench.board.motor.isOn)
        // The attempts go on.
        bench.clock.advance(by: .seconds(1))
        #expect(!bench.board.motor.isOn)
    }

    // The line is its parent's too, and keeps the level that was set last.
    @Test("a child of fork that prepares for a sleep, or wakes from one, leaves its parent's motor on")
    func forked() throws {
        let bench = try Bench()
        try bench.vibrate("5000")
        bench.clock.sleep(for: .seconds(60))
        let child = try fork()
        if child == 0 {
            alarm(60)
            let isPrepared = bench.device.prepareForSleep()
            bench.device.wokeFromSleep()
            _exit(!isPrepared && bench.board.motor.isOn ? 0 : 1)
        }
        var status: CInt = 0
        #expect(waitpid(child, &status, 0) == child && status == 0)
        #expect(bench.device.prepareForSleep())
    }

    private func fork() throws -> pid_t {
        // Swift's Glibc module leaves `fork` out.
        let address = try #require(dlsym(nil, "fork"))
        // SAFETY: this is the type that the C library declares.
        return unsafeBitCast(address, to: (@convention(c) () -> pid_t).self)()
    }

    /// A motor whose bus hangs while it is turned off.
    private struct HangingMotor: VibrationMotor {
        let name = "hanging motor"
        let isHanging = Latch()
        let answers = Latch()

        func turnOn(strength: Float, limit: Duration) {}
        func turnOff() {
            isHanging.open()
            answers.wait()
        }
        func close() {}
    }

    @Test("the preparation does not wait for ever for a motor that hangs on another thread")
    func hanging() throws {
        let motor = HangingMotor()
        var ports = Device.Ports(simulated: SimulatedBoard(clock: VirtualClock()))
        ports.motor = motor
        let device = try Device(ports)
        let vibrator = try #require(device.vibrator)
        let stopper = Thread {
            vibrator.start(.standard)
            vibrator.stop()
        }
        motor.isHanging.wait()
        #expect(!device.prepareForSleep())
        for _ in 0..<4 { motor.answers.open() }
        stopper.join()
        #expect(vibrator.isOff)
    }

    /// A motor behind a slow bus, which is driven on a thread of its own.
    private struct SlowMotor: BlockingMotor {
        let name = "slow motor"
        let thread: EventLoop
        let answers = Latch()

        func turnOn(strength: Float, limit: Duration) {}
        func turnOff() { answers.wait() }
        func close() {}
        func execute(_ body: @escaping @Sendable () -> Void) { thread.execute(body) }
    }

    @Test("a flip silences a sound while the motor's driver blocks")
    func flipMeanwhile() throws {
        let loop = try EventLoop(name: "device")
        let motor = SlowMotor(thread: try EventLoop(name: "motor"))
        let board = SimulatedBoard(clock: loop)
        var ports = Device.Ports(simulated: board)
        ports.motor = motor
        let device = try Device(ports)
        let (log, isSilenced, isStill) = (Record<String>(), Latch(), Latch())
        let sound = PCMBuffer.silence(duration: .seconds(3600), sampleRate: 8_000)
        try device.start(sound, category: .soloAmbient) { result in
            if case .silenced = result.outcome { log.append("silenced") }
            isSilenced.open()
        }
        device.vibrator?.start(.standard) { _ in
            log.append("still")
            isStill.open()
        }
        device.vibrator?.stop()
        board.ringSilent.position = .silent
        #expect(isSilenced.wait(until: .now + .seconds(50)))
        motor.answers.open()
        isStill.wait()
        #expect(log.all == ["silenced", "still"])
        device.close()
        for loop in [loop, motor.thread] { loop.close() }
    }

    // It waited up to 1 s, in which no edge was handled.
    @Test("on the device's thread the preparation does not wait for the motor's")
    func ownThread() throws {
        let loop = try EventLoop(name: "device")
        let motor = SlowMotor(thread: try EventLoop(name: "motor"))
        var ports = Device.Ports(simulated: SimulatedBoard(clock: loop))
        ports.motor = motor
        let device = try Device(ports)
        let (isCalled, hasReturned, isStill) = (Latch(), Latch(), Latch())
        device.vibrator?.start(try VibrationPattern(milliseconds: "9000")) { _ in isStill.open() }
        let helper = Thread {
            isCalled.wait()
            hasReturned.wait(until: .now + .milliseconds(500))
            motor.answers.open()
        }
        let results = Record<Bool>()
        loop.sync {
            isCalled.open()
            results.append(device.prepareForSleep())
        }
        hasReturned.open()
        helper.join()
        #expect(results.all == [false])
        isStill.wait()
        #expect(device.prepareForSleep())
        device.close()
        for loop in [loop, motor.thread] { loop.close() }
    }

    @Test(
        "sleep is followed where the switch is a line, without being asked for, and not where a driver of the kernel reads it",
        arguments: [
            (SwitchSpecification.gpio(.named("no such line")), true),
            (.evdev(.automatic(name: "no such device")), false),
        ])
    func followed(ringSilent: SwitchSpecification, isFollowed: Bool) throws {
        let loop = try EventLoop(name: "sleep")
        defer { loop.close() }
        let ports = try Device.Ports(
            .init(ringSilent: ringSilent, motor: MotorSpecification.none, pcm: "null"), loop: loop)
        #expect(ports.stateSources.contains { $0.name == "sleep" } == isFollowed)
        #expect(loop.timeAsleep >= .zero)
    }
}
