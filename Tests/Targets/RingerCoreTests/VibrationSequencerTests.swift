import RingerTestKit
import Testing

@testable import RingerCore

/// A vibrator on a simulated motor, in virtual time.
struct VibratorBench {
    let clock = VirtualClock()
    let motor: SimulatedMotor
    let vibrator: Vibrator
    let reports = Record<VibrationReport>()
    let ends = Record<VibrationEnd>()
    let start: MonotonicTime

    init(longestOnTime: Duration = .seconds(10)) {
        motor = SimulatedMotor(clock: clock)
        start = clock.now
        vibrator = Vibrator(motor: motor, clock: clock, longestOnTime: longestOnTime) { [reports] in
            reports.append($0)
        }
    }

    /// Begins `pattern`; its end goes to `ends`.
    @discardableResult
    func play(_ pattern: VibrationPattern) -> Vibrator.ID {
        vibrator.start(pattern) { [ends] in ends.append($0) }
    }

    /// The motor's turns in milliseconds since the bench was made: "0-400 600-1000".
    var turns: String {
        motor.turns.map { turn in
            let end = turn.end.map { String(($0 - start) / .milliseconds(1)) } ?? ""
            return "\((turn.start - start) / .milliseconds(1))-\(end)"
        }.joined(separator: " ").replacing(".0", with: "")
    }
}

extension VibrationPattern {
    /// The pattern of these milliseconds, in a test where they are known to be good.
    static func ms(_ text: String, repetition: Repetition = .times(1)) throws -> VibrationPattern {
        try VibrationPattern(milliseconds: text, repetition: repetition)
    }
}

@Suite("The vibrator")
struct VibratorTests {
    @Test("a pattern turns the motor for exactly its times")
    func exactTimes() throws {
        let bench = VibratorBench()
        bench.play(try .ms("400,200,100,50,30"))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-400 600-700 750-780")
        #expect(bench.ends.all == [.finished])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a repeated pattern rests after its last pulse only between rounds")
    func repetition() throws {
        let bench = VibratorBench()
        bench.play(try .ms("100,50", repetition: .times(3)))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-100 150-250 300-400")
        #expect(try VibrationPattern.ms("100,50", repetition: .times(3)).duration == .milliseconds(400))
        #expect(try VibrationPattern.ms("100,50", repetition: .untilStopped).duration == nil)
    }

    @Test("two pulses without a rest between them are one turn")
    func noRest() throws {
        let bench = VibratorBench()
        bench.play(try .ms("100,0,100"))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-200")
    }

    @Test("stopping turns the motor off at once and ends the vibration as stopped")
    func stop() throws {
        let bench = VibratorBench()
        bench.play(try .ms("1000"))
        bench.clock.advance(by: .milliseconds(123))
        bench.vibrator.stop()
        #expect(bench.turns == "0-123")
        #expect(bench.ends.all == [.stopped])
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-123")
    }

    @Test("stopping a vibration that is over does not stop the one that came after it")
    func staleStop() throws {
        let bench = VibratorBench()
        let first = bench.play(try .ms("100"))
        bench.clock.advance(by: .milliseconds(50))
        bench.play(try .ms("100"))
        bench.vibrator.stop(first)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.turns == "0-150")
        #expect(bench.ends.all == [.replaced, .finished])
    }

    @Test("no single turn exceeds the longest on-time")
    func longestOnTime() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.play(try .ms("5000,100,5000"))
        bench.clock.advance(by: .seconds(20))
        #expect(bench.turns == "0-2000")
        #expect(bench.ends.all == [.limited])
        #expect(bench.reports.all.contains(.limitReached(at: bench.start + .seconds(2))))
    }

    @Test("a caller that asks repeatedly does not exceed the longest on-time either")
    func longestOnTimeOverCalls() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        for _ in 0..<10 {
            bench.play(try .ms("500"))
            bench.clock.advance(by: .milliseconds(400))
        }
        let longest = bench.motor.turns.compactMap(\.length).max()
        #expect(longest == .seconds(2))
        #expect(bench.ends.all.contains(.limited))
    }

    @Test("rests too short to cool the motor do not count: the turns around them are one")
    func shortRests() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.play(try .ms("500,99", repetition: .untilStopped))
        bench.clock.advance(by: .seconds(20))
        #expect(bench.motor.turns.compactMap(\.length).reduce(.zero, +) == .seconds(2))
        #expect(bench.ends.all == [.limited])
    }

    @Test("a rest of 0.1 s suffices: such a pattern may continue without limit")
    func longRests() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.play(try .ms("500,100", repetition: .untilStopped))
        bench.clock.advance(by: .seconds(60))
        #expect(bench.motor.turns.count == 101)
        #expect(bench.ends.all.isEmpty)
        bench.vibrator.stop()
        #expect(bench.ends.all == [.stopped])
    }

    @Test("the hardware's own limit lies behind the pulse, and never beyond the longest on-time")
    func hardwareLimit() {
        var sequencer = VibrationSequencer(longestOnTime: .seconds(1))
        let now = MonotonicTime(nanoseconds: 0)
        let short = sequencer.handle(.play(1, .standard, now: now))
        #expect(short.contains(.turnOn(strength: 1, limit: .milliseconds(450))))
        var other = VibrationSequencer(longestOnTime: .milliseconds(410))
        #expect(other.handle(.play(1, .standard, now: now)).contains(.turnOn(strength: 1, limit: .milliseconds(410))))
    }

    @Test("a late timer does not make a pattern drift")
    func noDrift() throws {
        var sequencer = VibrationSequencer(longestOnTime: .seconds(10))
        let start = MonotonicTime(nanoseconds: 0)
        _ = sequencer.handle(.play(1, try .ms("100,100,100"), now: start))
        let late = sequencer.handle(.timer(1, now: start + .milliseconds(107)))
        #expect(late.contains(.schedule(2, at: start + .milliseconds(200))))
    }
}

@Suite("Vibration patterns")
struct VibrationPatternTests {
    @Test(
        "a pattern that makes no sense is refused",
        arguments: ["", "a", "0", "-5", "100,-1", "0,100", "100,,100", "99999999999"])
    func refused(text: String) {
        #expect(throws: RingerError.self) { try VibrationPattern(milliseconds: text) }
    }

    @Test("a strength outside 0 to 1 is refused", arguments: [-1, 0, 1.5, Float.nan, .infinity])
    func strength(strength: Float) {
        #expect(throws: RingerError.self) { try VibrationPattern(milliseconds: "100", strength: strength) }
    }

    // Adding up and multiplying such lengths used to trap.
    @Test("the duration of the longest of patterns is held at the limit of what a duration counts")
    func longest() throws {
        let pulse = VibrationPattern.Pulse(on: .seconds(Int64.max), off: .seconds(Int64.max))
        let pulses = Array(repeating: pulse, count: 30)
        for repetition in [VibrationPattern.Repetition.times(1), .times(.max)] {
            let pattern = try VibrationPattern(pulses: pulses, repetition: repetition)
            #expect(pattern.duration == .nanoseconds(Int64.max))
            let bench = VibratorBench()
            bench.play(pattern)
            bench.clock.advance(by: .seconds(60))
            #expect(bench.ends.all == [.limited])
        }
    }
}
