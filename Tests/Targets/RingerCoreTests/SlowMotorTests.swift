import RingerTestKit
import Testing

@testable import RingerCore

@Suite("A vibration motor that is slow")
struct SlowMotorTests {
    // The late end of turning off counted as a rest of the motor that the new vibration turned: it turned for 19 s.
    @Test("a vibration that begins while the motor is being turned off ends at the longest on-time")
    func vibrationDuringTurnOff() throws {
        let bench = SlowMotorBench(turnOffTakes: .milliseconds(20))
        let next = try VibrationPattern.ms("400,0,60000")
        bench.play(try .ms("9000,500,100"))
        bench.motor.duringTurnOff { bench.play(next) }
        bench.clock.advance(by: .seconds(60))
        #expect(bench.calls == "on 0, off 9000, on 9020, on 9400, off 10000")
        #expect(bench.ends.all == [.stopped(.replaced), .stopped(.limited)])
        #expect(bench.onTime == .milliseconds(10_020))
    }

    // The late failure ended the new vibration in its place, and its timer: the motor turned on, also after a stop.
    @Test(
        "a late failure to turn the motor off does not end the vibration that began meanwhile, nor leave the motor on",
        arguments: [RingerError.Code.disconnected, .unreachable, .system], [false, true])
    func lateFailure(code: RingerError.Code, isStopped: Bool) throws {
        let bench = SlowMotorBench(turnOffTakes: .milliseconds(20))
        let next = try VibrationPattern.ms("300")
        bench.play(try .ms("100,500,100"))
        bench.motor.duringTurnOff { () throws(RingerError) in
            bench.play(next)
            throw RingerError(code, "turn off", "slow motor")
        }
        bench.clock.advance(by: .milliseconds(200))
        if isStopped { bench.vibrator.stop() }
        bench.clock.advance(by: .seconds(60))
        #expect(bench.calls == "on 0, off 100, on 120, off \(isStopped ? 200 : 400)")
        #expect(bench.ends.all == [.stopped(.replaced), isStopped ? .stopped(.caller) : .finished])
        #expect(!bench.motor.record.isOn && bench.clock.pendingTimers == 0)
    }

    @Test("a motor that is turned off and on again while it is being turned off is asked for the newest alone")
    func newestAlone() throws {
        let bench = SlowMotorBench(turnOffTakes: .milliseconds(20))
        let pattern = try VibrationPattern.ms("500")
        bench.play(pattern)
        bench.motor.duringTurnOff {
            for _ in 0..<10 {
                bench.play(pattern)
                bench.vibrator.stop()
            }
        }
        bench.vibrator.stop()
        #expect(bench.calls == "on 0, off 0")
        #expect(bench.ends.all.count == 11 && bench.ends.all.allSatisfy { $0 == .stopped(.caller) })
        #expect(bench.vibrator.isOff)
    }

    // It turned on after the stop had returned.
    @Test("a vibration that is stopped before the motor's turn to begin it has come does not turn the motor on")
    func stoppedBeforeItsTurn() throws {
        let bench = SlowMotorBench(turnOffTakes: .zero)
        let pattern = try VibrationPattern.ms("100")
        bench.vibrator.begin(bench.vibrator.reserve(), pattern) { end in
            bench.ends.append(end)
            bench.vibrator.begin(bench.vibrator.reserve(), pattern) { bench.ends.append($0) }
            bench.vibrator.stop()
        }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.calls == "on 0, off 100, off 100")
        #expect(bench.ends.all == [.finished, .stopped(.caller)] && bench.vibrator.isOff)
    }

    @Test("a motor whose device comes back while it is being turned off in vain is turned off once more")
    func backMeanwhile() throws {
        let bench = SlowMotorBench(turnOffTakes: .milliseconds(20))
        bench.play(try .ms("100"))
        bench.motor.duringTurnOff { () throws(RingerError) in
            bench.motor.record.announceReturn()
            throw RingerError(.unreachable, "turn off", "slow motor")
        }
        bench.clock.advance(by: .seconds(60))
        #expect(bench.calls == "on 0, off 100, off 120")
        #expect(bench.ends.all == [.finished] && !bench.motor.record.isOn)
    }

    @Test("several threads that start and stop vibrations never make a slow motor turn beyond its longest on-time")
    func threads() async throws {
        let longest = Duration.milliseconds(500)
        let slowness = Duration.milliseconds(20)
        let bench = SlowMotorBench(longestOnTime: longest, turnOnTakes: slowness, turnOffTakes: slowness)
        bench.motor.record.turnLimit = .max
        let patterns = try ["5000", "130,0,90", "70,110", "200,30,200"].map { try VibrationPattern.ms($0) }
        let (bursts, threads, rounds) = (200, 4, 3)
        for burst in 0..<bursts {
            try await withThrowingTaskGroup { group in
                for thread in 0..<threads {
                    group.addTask {
                        try await DetachedThread.run {
                            for round in (burst + thread)..<(burst + thread + rounds) {
                                bench.play(patterns[round % patterns.count])
                                if round.isMultiple(of: 3) { bench.vibrator.stop() }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            // Not while the threads run: the time between a timer and the motor's call would depend on the machine's load.
            bench.clock.advance(by: .milliseconds(30 + burst * 37 % 171))
        }
        bench.vibrator.stop()
        #expect(bench.vibrator.isOff && !bench.motor.record.isOn)
        #expect(bench.ends.all.count == bursts * threads * rounds)
        #expect(bench.motor.record.turnCount > 100)
        #expect(bench.motor.mostCallsUnderWay == 1)
        // At the limit a call may be under way, and turning off takes one more.
        #expect(longestOnTime(bench.motor.record.turns) <= longest + slowness * 2)
    }

    /// The longest time that the motor turned without a rest of 0.1 s.
    private func longestOnTime(_ turns: [SimulatedMotor.Turn]) -> Duration {
        var longest = Duration.zero
        var turned = Duration.zero
        var end: MonotonicTime?
        for turn in turns {
            if let end, turn.start - end >= VibrationSequencer.shortestRest { turned = .zero }
            turned += turn.length ?? .zero
            longest = max(longest, turned)
            end = turn.end
        }
        return longest
    }
}
