import RingerTestKit
import Testing

@testable import RingerCore

/// A vibrator on a simulated motor, in virtual time.
struct VibratorBench {
    let clock = VirtualClock()
    let motor: SimulatedMotor
    let vibrator: Vibrator
    let reports = Record<VibrationReport>()
    let ends = Record<SoundOutcome>()
    let start: MonotonicTime

    init(longestOnTime: Duration = .seconds(10)) {
        motor = SimulatedMotor(clock: clock)
        start = clock.now
        vibrator = Vibrator(motor: motor, clock: clock, longestOnTime: longestOnTime) { [reports] in
            reports.append($0)
        }
    }

    /// A bench on which a pattern has begun.
    init(playing milliseconds: String, longestOnTime: Duration = .seconds(10)) throws {
        self.init(longestOnTime: longestOnTime)
        play(try .ms(milliseconds))
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
        let bench = try VibratorBench(playing: "400,200,100,50,30")
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
        let bench = try VibratorBench(playing: "100,0,100")
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-200")
    }

    @Test("stopping turns the motor off at once and ends the vibration as stopped")
    func stop() throws {
        let bench = try VibratorBench(playing: "1000")
        bench.clock.advance(by: .milliseconds(123))
        bench.vibrator.stop()
        #expect(bench.turns == "0-123")
        #expect(bench.ends.all == [.stopped(.caller)])
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
        #expect(bench.ends.all == [.stopped(.replaced), .finished])
    }

    @Test("no single turn exceeds the longest on-time")
    func longestOnTime() throws {
        let bench = try VibratorBench(playing: "5000,100,5000", longestOnTime: .seconds(2))
        bench.clock.advance(by: .seconds(20))
        #expect(bench.turns == "0-2000")
        #expect(bench.ends.all == [.stopped(.limited)])
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
        #expect(bench.ends.all.contains(.stopped(.limited)))
    }

    @Test("rests too short to cool the motor do not count: the turns around them are one")
    func shortRests() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.play(try .ms("500,99", repetition: .untilStopped))
        bench.clock.advance(by: .seconds(20))
        #expect(bench.motor.turns.compactMap(\.length).reduce(.zero, +) == .seconds(2))
        #expect(bench.ends.all == [.stopped(.limited)])
    }

    @Test("a rest of 0.1 s suffices: such a pattern may continue without limit")
    func longRests() throws {
        let bench = VibratorBench(longestOnTime: .seconds(2))
        bench.play(try .ms("500,100", repetition: .untilStopped))
        bench.clock.advance(by: .seconds(60))
        #expect(bench.motor.turns.count == 101)
        #expect(bench.ends.all.isEmpty)
        bench.vibrator.stop()
        #expect(bench.ends.all == [.stopped(.caller)])
    }
}

extension VibrationSequencer {
    /// What follows from an event at `now`.
    mutating func handle(_ kind: Kind, now: MonotonicTime, asleep: Duration = .zero) -> [Action] {
        handle(Event(kind: kind, now: now, asleep: asleep))
    }
}

@Suite("The vibration sequencer")
struct VibrationSequencerTests {
    let start = MonotonicTime(nanoseconds: 0)

    @Test("the hardware's own limit lies behind the pulse, and never beyond the longest on-time")
    func hardwareLimit() {
        for (longestOnTime, limit) in [(1_000, 450), (410, 410)] {
            var sequencer = VibrationSequencer(longestOnTime: .milliseconds(longestOnTime))
            let level = MotorLevel(strength: 1, until: start + .milliseconds(limit))
            #expect(sequencer.handle(.play(1, .standard), now: start).contains(.motor(1, level)))
        }
    }

    @Test("a late timer does not make a pattern drift")
    func noDrift() throws {
        var sequencer = VibrationSequencer(longestOnTime: .seconds(10))
        _ = sequencer.handle(.play(1, try .ms("100,100,100")), now: start)
        let late = sequencer.handle(.timer, now: start + .milliseconds(107))
        #expect(late.contains(.schedule(at: start + .milliseconds(200))))
    }

    @Test("the timer of an earlier vibration ends nothing, and the end of the new one stays set")
    func earlierTimer() throws {
        var sequencer = VibrationSequencer(longestOnTime: .seconds(10))
        _ = sequencer.handle(.play(1, try .ms("100")), now: start)
        _ = sequencer.handle(.play(2, try .ms("400")), now: start + .milliseconds(50))
        let early = sequencer.handle(.timer, now: start + .milliseconds(100))
        #expect(early == [.schedule(at: start + .milliseconds(450))])
    }

    @Test("while the motor owes an answer the newest question alone waits; answers to earlier ones change nothing")
    func lateAnswers() throws {
        let error = RingerError(.disconnected, "turn off", "motor")
        var sequencer = VibrationSequencer(longestOnTime: .seconds(10))
        func after(_ milliseconds: Int) -> MonotonicTime { start + .milliseconds(milliseconds) }
        func questions(_ kind: VibrationSequencer.Kind, _ now: MonotonicTime) -> [UInt64] {
            sequencer.handle(kind, now: now).compactMap { if case .motor(let number, _) = $0 { number } else { nil } }
        }
        #expect(questions(.play(1, try .ms("100,500,100")), start) == [1])
        #expect(questions(.answered(1, nil), start) == [])
        #expect(questions(.timer, after(100)) == [2])
        #expect(questions(.play(2, try .ms("100")), after(110)) == [])
        #expect(questions(.stop(2), after(120)) == [])
        #expect(questions(.play(3, try .ms("100")), after(130)) == [])
        // An answer that nobody asked for, the one that is due, and that again.
        #expect(questions(.answered(7, error), after(140)) == [])
        #expect(questions(.answered(2, error), after(140)) == [5])
        #expect(questions(.answered(2, error), after(140)) == [])
        #expect(!sequencer.isOff)
        #expect(questions(.stop(3), after(150)) == [])
        #expect(questions(.answered(5, nil), after(160)) == [6])
        #expect(!sequencer.isOff)
        let end = sequencer.handle(.answered(6, nil), now: after(170))
        #expect(end == [.report(.off(at: after(170))), .unschedule, .complete(3, .stopped(.caller))])
        #expect(sequencer.isOff)
    }

    @Test(
        "the motor is asked to turn off exactly at the longest on-time, however long it takes to turn off between pulses",
        arguments: [0, 1, 333, 20_000, 99_998, 99_999, 150_000, 400_001].map { Duration.microseconds($0) })
    func limitIsExact(turnOffTakes: Duration) throws {
        let bench = SlowMotorBench(turnOffTakes: turnOffTakes)
        // No rest is long enough.
        let pulse = VibrationPattern.Pulse(on: .microseconds(503_077), off: .microseconds(99_999))
        bench.play(try VibrationPattern(pulses: [pulse], repetition: .untilStopped))
        bench.clock.advance(by: .seconds(60))
        #expect(bench.ends.all == [.stopped(.limited)])
        #expect(bench.onTime == .seconds(10) + turnOffTakes)
        #expect(!bench.motor.record.isOn)
    }
}

// Hardware stopped the motor after 32.767 s, while the vibration went on.
extension VibratorTests {
    @Test(
        "a long pulse is asked for in parts, none longer than hardware can turn, and is one turn of its whole length",
        arguments: [29_999, 30_000, 30_001, 60_000, 100_000])
    func longPulse(milliseconds: Int) throws {
        let limits = Record<Duration>()
        let clock = VirtualClock()
        let motor = LimitedMotor(record: SimulatedMotor(clock: clock), limits: limits)
        motor.record.hasOwnLimit = true
        let vibrator = Vibrator(motor: motor, clock: clock, longestOnTime: .seconds(100))
        let ends = Record<SoundOutcome>()
        let pulse = VibrationPattern.Pulse(on: .milliseconds(milliseconds), off: .milliseconds(200))
        vibrator.start(try VibrationPattern(pulses: [pulse, .init(on: .milliseconds(50))])) { ends.append($0) }
        clock.advance(by: .seconds(200))
        #expect(ends.all == [.finished] && clock.pendingTimers == 0)
        #expect(motor.record.turns.map(\.length) == [.milliseconds(milliseconds), .milliseconds(50)])
        // Within the hardware's 32.767 s; between two parts there is time for a late thread.
        #expect(limits.all.allSatisfy { $0 <= .seconds(32) })
        #expect(limits.all.filter { $0 == .seconds(32) }.count == (milliseconds - 1) / 30_000)
    }

    @Test("a long pulse ends at the longest on-time, and when it is stopped", arguments: [31, 45, 60])
    func longPulseEnds(seconds: Int) throws {
        for isStopped in [true, false] {
            let bench = try VibratorBench(
                playing: "200000", longestOnTime: isStopped ? .seconds(300) : .seconds(seconds))
            bench.clock.advance(by: .seconds(seconds))
            if isStopped { bench.vibrator.stop() }
            #expect(bench.ends.all == [isStopped ? .stopped(.caller) : .stopped(.limited)])
            #expect(bench.turns == "0-\(seconds * 1000)")
        }
    }

    @Test("a motor that closes at once is closed without its thread, another one on it", arguments: [true, false])
    func closingWithoutThread(closesAtOnce: Bool) {
        let calls = Record<String>()
        let vibrator = Vibrator(motor: ThreadedMotor(calls: calls, closesAtOnce: closesAtOnce), clock: VirtualClock())
        vibrator.close { calls.append($0 == nil ? "closed" : "failed") }
        #expect(calls.all == (closesAtOnce ? [] : ["thread"]) + ["close", "closed"])
    }

    private struct LimitedMotor: VibrationMotor {
        let record: SimulatedMotor
        let limits: Record<Duration>
        var name: String { record.name }

        func turnOn(strength: Float, limit: Duration) throws(RingerError) {
            limits.append(limit)
            try record.turnOn(strength: strength, limit: limit)
        }
        func turnOff() throws(RingerError) { try record.turnOff() }
        func close() throws(RingerError) { try record.close() }
    }

    private struct ThreadedMotor: BlockingMotor {
        let name = "motor on a thread"
        let calls: Record<String>
        let closesAtOnce: Bool

        func turnOn(strength: Float, limit: Duration) {}
        func turnOff() {}
        func close() { calls.append("close") }
        func execute(_ body: @escaping @Sendable () -> Void) {
            calls.append("thread")
            body()
        }
    }
}

@Suite("Vibration patterns")
struct VibrationPatternTests {
    // 31,570 pulses of 1 ns occupied the device's thread for 10 s.
    @Test("a pulse is 1 ms long at least", arguments: [(1, false), (999_999, false), (1_000_000, true)])
    func shortest(nanoseconds: Int, isAllowed: Bool) {
        let pulse = VibrationPattern.Pulse(on: .nanoseconds(nanoseconds))
        let pattern = try? VibrationPattern(pulses: [.init(on: .seconds(1)), pulse], repetition: .untilStopped)
        #expect((pattern != nil) == isAllowed)
    }

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
            #expect(bench.ends.all == [.stopped(.limited)])
        }
    }
}
