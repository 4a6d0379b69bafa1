import RingerTestKit
import Testing

@testable import RingerCore

@Suite("A vibration motor of a machine that sleeps")
struct MotorSleepTests {
    enum FirstAfterWaking: CaseIterable {
        case stop, answer, mayBeBack
    }

    // Only a timer and a new vibration noticed a sleep: after a stop it counted as a rest, and the motor turned for the
    // longest on-time once more.
    @Test(
        "a sleep that the motor turned through is no rest, whatever comes first after the waking",
        arguments: FirstAfterWaking.allCases)
    func turnedThrough(first: FirstAfterWaking) throws {
        let bench = VibratorBench()
        let pattern = try VibrationPattern.ms("60000")
        bench.motor.answers.areLate = first == .answer
        bench.play(pattern)
        bench.clock.advance(by: .seconds(9))
        bench.clock.sleep(for: .seconds(3600))
        switch first {
        case .stop: bench.vibrator.stop()
        case .answer: bench.motor.answers.giveNext()
        case .mayBeBack: bench.motor.announceReturn()
        }
        bench.motor.answers.areLate = false
        #expect(bench.ends.all == [.stopped(.caller)] && bench.turns == "0-9000")
        bench.play(pattern)
        #expect(bench.ends.all == [.stopped(.caller), .stopped(.limited)] && bench.turns == "0-9000")
        bench.clock.advance(by: .milliseconds(100))
        bench.play(pattern)
        #expect(bench.motor.isOn)
    }

    @Test("an event that read the clocks before another one does not make a sleep count twice")
    func readEarlier() throws {
        let start = MonotonicTime(nanoseconds: 0)
        let end = start + .milliseconds(100)
        var sequencer = VibrationSequencer(longestOnTime: .seconds(10))
        _ = sequencer.handle(.woke, now: start, asleep: .seconds(3600))
        _ = sequencer.handle(.play(1, try .ms("100")), now: start)
        _ = sequencer.handle(.answered(1, nil), now: start)
        _ = sequencer.handle(.timer, now: end, asleep: .seconds(3600))
        #expect(sequencer.handle(.answered(2, nil), now: end).contains(.complete(1, .finished)))
    }

    @Test("a preparation for a sleep completes when the motor has answered that it is off, and not before")
    func preparationWaits() throws {
        let bench = VibratorBench()
        let prepared = Record<Bool>()
        bench.motor.answers.areLate = true
        bench.play(try .ms("1000"))
        bench.vibrator.prepareForSleep { [motor = bench.motor] in prepared.append(motor.isOn) }
        #expect(prepared.all.isEmpty)
        #expect(bench.motor.answers.giveNext() && bench.motor.isOn && prepared.all.isEmpty)
        #expect(bench.motor.answers.giveNext() && prepared.all == [false])
        #expect(bench.ends.all == [.stopped(.caller)] && bench.motor.answers.waiting == 0)
    }

    enum EndOfPreparation: CaseIterable {
        case woke, slept, givenUp
    }

    // It completed when the motor owed no answer, which it always did while vibrations kept coming.
    @Test(
        "a preparation completes at the latest with the waking, or when the sleep is given up",
        arguments: EndOfPreparation.allCases)
    func preparationEnds(end: EndOfPreparation) throws {
        let bench = VibratorBench()
        let prepared = Record<Void>()
        bench.motor.answers.areLate = true
        bench.play(try .ms("1000"))
        bench.vibrator.prepareForSleep { prepared.append(()) }
        bench.clock.advance(by: .seconds(1))
        #expect(prepared.all.isEmpty)
        switch end {
        case .woke: bench.vibrator.wakes()
        case .slept: bench.clock.sleep(for: .seconds(1))
        case .givenUp: bench.clock.advance(by: .seconds(10))
        }
        bench.play(try .ms("1000"))
        #expect(prepared.all.count == 1)
        bench.motor.answers.areLate = false
        bench.vibrator.stop()
        #expect(prepared.all.count == 1 && !bench.motor.isOn)
    }
}
