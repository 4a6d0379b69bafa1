import RingerTestKit
import SystemPackage
import Testing

@testable import RingerCore

extension VibratorBench {
    /// The numbers of the attempts to turn the motor off that failed, as they were reported.
    fileprivate var failedAttempts: [Int] {
        reports.all.compactMap { report in
            if case .offFailed(_, let attempt, _) = report { attempt } else { nil }
        }
    }

    /// Expects that the motor obeys again: a new vibration comes to its end.
    fileprivate func expectObeys() throws {
        play(try .ms("100"))
        clock.advance(by: .seconds(1))
        #expect(ends.all.last == .finished)
    }
}

@Suite("A vibration motor that fails")
struct FailingMotorTests {
    let jammed = RingerError(.system, "turn off", "motor", detail: "jammed")

    @Test("a motor that does not turn off is turned off again until it does, and each failure is reported")
    func stuck() throws {
        let bench = VibratorBench()
        bench.motor.failTurnOff(with: [jammed, jammed, jammed])
        bench.play(try .ms("100"))
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.ends.all == [.failed(jammed)])
        // 10, 20 and 40 ms after one another.
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == "0-170")
        #expect(bench.failedAttempts == [1, 2, 3])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a vibration that is over leaves no timer, whether it was stopped or the motor did not turn on")
    func noStaleTimer() throws {
        // The device at rest was woken once more, when the pulse would have ended.
        let bench = VibratorBench()
        bench.motor.failTurnOn(with: jammed)
        bench.play(try .ms("1000"))
        #expect(bench.ends.all == [.failed(jammed)] && bench.clock.pendingTimers == 0)
        bench.motor.failTurnOn(with: nil)
        bench.play(try .ms("1000"))
        bench.clock.advance(by: .milliseconds(100))
        bench.vibrator.stop()
        #expect(bench.ends.all.last == .stopped(.caller) && bench.clock.pendingTimers == 0)
        bench.play(try .ms("100,500,100"))
        bench.clock.advance(by: .milliseconds(200))
        bench.vibrator.stop()
        #expect(bench.ends.all.last == .stopped(.caller) && bench.clock.pendingTimers == 0)
    }

    @Test("a motor that cannot be turned off is not turned on again meanwhile")
    func stuckRefuses() throws {
        let bench = VibratorBench()
        bench.motor.failTurnOff(with: [jammed])
        bench.play(try .ms("100"))
        bench.clock.advance(by: .milliseconds(105))
        bench.play(try .ms("100"))
        #expect(bench.ends.all == [.failed(jammed), .failed(jammed)])
        bench.clock.advance(by: .milliseconds(200))
        try bench.expectObeys()
    }

    // An I2C expander that did not acknowledge once was taken for one that was unplugged: nothing turned the motor off any
    // more, not even stopping it.
    @Test("a failure of the motor's bus ends no retries: it is no proof that the motor was unplugged")
    func busFailure() throws {
        let bench = VibratorBench()
        let failures = [Errno.ioError, .noSuchAddressOrDevice].map { RingerError("turn off", "motor", $0) }
        #expect(failures.map(\.code) == [.system, .system])
        bench.motor.failTurnOff(with: failures)
        bench.play(try .ms("100"))
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.turns == "0-130")
        #expect(bench.failedAttempts == [1, 2])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("stopping a motor that could not be turned off tries again at once")
    func stopStuck() throws {
        let bench = VibratorBench()
        bench.motor.failTurnOff(with: Array(repeating: jammed, count: 5))
        bench.play(try .ms("100"))
        // At 110, 130, 170 and 250 ms it is tried in vain, and at 410 ms it would be tried again.
        bench.clock.advance(by: .milliseconds(300))
        #expect(bench.motor.isOn)
        bench.vibrator.stop()
        #expect(bench.turns == "0-300")
        #expect(bench.reports.all.last == .off(at: bench.start + .milliseconds(300)))
        bench.play(try .ms("100"))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == "0-300 300-400")
    }

    @Test("how long a motor turned that could not be turned off counts for the longest on-time")
    func stuckCounts() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.motor.failTurnOff(with: Array(repeating: jammed, count: 12))
        bench.play(try .ms("100"))
        while bench.motor.isOn { bench.clock.advance(by: .milliseconds(1)) }
        bench.play(try .ms("100"))
        #expect(bench.ends.all == [.failed(jammed), .stopped(.limited)])
        bench.clock.advance(by: .milliseconds(100))
        try bench.expectObeys()
    }

    // It tried five times within a millisecond.
    @Test("closing goes on trying to turn the motor off for as long as a device waits for it")
    func closing() throws {
        let bench = try VibratorBench(playing: "1000")
        // At 0, 10, 30 and 70 ms both the vibration's end and the closing try.
        bench.motor.failTurnOff(with: Array(repeating: jammed, count: 6))
        let errors = Record<RingerError?>()
        bench.vibrator.close { errors.append($0) }
        bench.clock.advance(by: .milliseconds(70))
        #expect(bench.turns == "0-70" && errors.all == [nil])
        bench.motor.failTurnOff(with: Array(repeating: jammed, count: 100))
        bench.vibrator.close { errors.append($0) }
        bench.clock.advance(by: .milliseconds(629))
        #expect(errors.all == [nil])
        bench.clock.advance(by: .milliseconds(1))
        #expect(errors.all == [nil, jammed])
    }

    @Test("a vibration that was over before the motor could be turned on for it has failed")
    func neverFelt() throws {
        var machine = VibrationSequencer(longestOnTime: .seconds(10))
        let start = VirtualClock().now
        _ = machine.handle(.play(1, try .ms("100")), now: start)
        _ = machine.handle(.timer, now: start + .milliseconds(100))
        // The question for "on" was no longer the newest when its turn came.
        _ = machine.handle(.skipped(1), now: start + .milliseconds(200))
        let end = machine.handle(.answered(2, nil), now: start + .milliseconds(200))
        let codes: [RingerError.Code?] = end.map { action in
            if case .complete(1, .failed(let error)) = action { error.code } else { nil }
        }
        #expect(codes.contains(.timedOut))
    }

    @Test("a motor that does not turn on ends the vibration as failed, and is turned off all the same")
    func turnOnFails() throws {
        let bench = VibratorBench()
        let error = RingerError(.permissionDenied, "turn on", "motor")
        bench.motor.failTurnOn(with: error)
        bench.play(try .ms("100,100,100"))
        #expect(bench.ends.all == [.failed(error)])
        #expect(bench.reports.all.contains { if case .off = $0 { true } else { false } })
    }

    // The answers came after the pulses, counted for nothing, and the vibration ended as finished.
    @Test(
        "late failures to turn the motor on are reported; the vibration failed unless the motor turned on once",
        arguments: [false, true])
    func lateTurnOnFails(onlyFirst: Bool) throws {
        let bench = VibratorBench()
        bench.motor.answers.areLate = true
        bench.motor.failTurnOn(with: jammed)
        bench.play(try .ms("200,100,200"))
        bench.clock.advance(by: .milliseconds(310))
        if onlyFirst { bench.motor.failTurnOn(with: nil) }
        #expect(bench.motor.answers.giveNext() && bench.motor.isOn == onlyFirst)
        bench.clock.advance(by: .milliseconds(190))
        bench.motor.answers.areLate = false
        #expect(bench.ends.all == [onlyFirst ? .finished : .failed(jammed)])
        let failures = bench.reports.all.filter { if case .onFailed = $0 { true } else { false } }
        #expect(failures.count == (onlyFirst ? 1 : 2) && !bench.motor.isOn)
    }

    // It was reported as a failure of the motor.
    @Test("a motor that is closed before its turn to turn on has come has not failed")
    func closedMeanwhile() throws {
        var machine = VibrationSequencer(longestOnTime: .seconds(10))
        let now = MonotonicTime(nanoseconds: 0)
        #expect(machine.handle(.play(1, try .ms("100")), now: now).count == 3)
        _ = machine.handle(.stop(nil), now: now)
        let closed = RingerError(.closed, "turn on", "motor")
        #expect(machine.handle(.answered(1, closed), now: now) == [.motor(2, nil)])
    }

    @Test("a late failure to turn the motor off is reported, even if another vibration has begun")
    func lateTurnOffFails() throws {
        let bench = try VibratorBench(playing: "100,500,100")
        bench.motor.answers.areLate = true
        bench.motor.failTurnOff(with: [jammed])
        bench.clock.advance(by: .milliseconds(100))
        bench.play(try .ms("100"))
        bench.motor.answers.areLate = false
        #expect(bench.failedAttempts == [1])
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == [.stopped(.replaced), .finished] && bench.turns == "0-200")
        #expect(bench.failedAttempts == [1])
    }

    @Test("dropping the vibrator stops the motor")
    func dropped() throws {
        let clock = VirtualClock()
        let motor = SimulatedMotor(clock: clock)
        do {
            let vibrator = Vibrator(motor: motor, clock: clock)
            vibrator.start(.standard)
            #expect(motor.isOn)
        }
        #expect(!motor.isOn && motor.isClosed)
    }

    @Test("cancelling the task stops the motor")
    func cancelled() async throws {
        let bench = VibratorBench()
        let pattern = try VibrationPattern.ms("5000")
        let vibrator = bench.vibrator
        let task = Task { await vibrator.vibrate(pattern) }
        task.cancel()
        #expect(await task.value == .stopped(.caller))
        #expect(!bench.motor.isOn)
    }
}

@Suite("A vibration motor whose device disappears")
struct UnpluggedMotorTests {
    @Test("a motor that the kernel stopped is reported, and not tried again")
    func stoppedByKernel() throws {
        let bench = try VibratorBench(playing: "100")
        bench.clock.advance(by: .milliseconds(50))
        bench.motor.unplug(.stops)
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.turns == "0-50")
        #expect(bench.failedAttempts == [1])
        #expect(bench.ends.all.count == 1 && bench.clock.pendingTimers == 0)
        bench.motor.plug()
        try bench.expectObeys()
    }

    // It was not tried again either: a motor on an expander that came back turned until the process ended.
    @Test("one that may turn on is reported once, wakes nothing, and is turned off first when its device is back")
    func keepsTurning() throws {
        let bench = try VibratorBench(playing: "100")
        bench.clock.advance(by: .milliseconds(50))
        bench.motor.unplug(.keepsTurning)
        bench.clock.advance(by: .milliseconds(50))
        guard case .failed(let error) = bench.ends.all.last else {
            Issue.record("\(bench.ends.all) instead of a failure")
            return
        }
        #expect(error.code == .unreachable)
        #expect(bench.clock.pendingTimers == 0)
        bench.clock.advance(by: .seconds(1))

        // Neither a change that does not bring it back, nor stopping, nor another vibration is reported as a failure again.
        bench.motor.announceReturn()
        bench.vibrator.stop()
        bench.play(try .ms("100"))
        #expect(bench.failedAttempts == [1])
        #expect(bench.ends.all.last == .failed(error))
        #expect(bench.motor.isOn && bench.clock.pendingTimers == 0)

        bench.clock.advance(by: .seconds(1))
        bench.motor.plug()
        #expect(bench.turns == "0-2100")
        #expect(bench.reports.all.last == .off(at: bench.start + .milliseconds(2100)))
        bench.play(try .ms("100"))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == "0-2100 2100-2200")
        #expect(bench.ends.all.last == .finished)
    }

    @Test("one that is back and does not obey is turned off again until it does")
    func backAndStuck() throws {
        let bench = VibratorBench()
        let jammed = RingerError("turn off", "motor", .ioError)
        bench.play(try .ms("100"))
        bench.motor.unplug(.keepsTurning)
        bench.clock.advance(by: .seconds(1))
        bench.motor.failTurnOff(with: [jammed])
        bench.motor.plug()
        #expect(bench.failedAttempts == [1, 2])
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == "0-1020")
        #expect(bench.clock.pendingTimers == 0)
    }

    // Turning it off was begun anew, and the vibration did not end while such announcements kept coming.
    @Test("one that may be back while it is being turned off is off when that succeeds")
    func mayBeBackMeanwhile() throws {
        let bench = try VibratorBench(playing: "100")
        bench.motor.answers.areLate = true
        bench.clock.advance(by: .milliseconds(100))
        for _ in 0..<3 { bench.motor.announceReturn() }
        #expect(bench.motor.answers.giveNext())
        #expect(bench.ends.all == [.finished] && bench.motor.answers.waiting == 0)
        #expect(bench.vibrator.isOff && bench.turns == "0-100")
    }

    @Test("one that comes and goes at rest is not touched")
    func atRest() throws {
        let bench = try VibratorBench(playing: "100")
        bench.clock.advance(by: .seconds(1))
        let reports = bench.reports.all
        bench.motor.unplug(.keepsTurning)
        bench.motor.plug()
        #expect(bench.reports.all == reports)
    }
}
