import RingerTestKit
import Testing

@testable import RingerCore

/// In virtual time a completion that blocks for 4 s moves the clock by 4 s.
@Suite("Completions of system sounds and alerts that block")
struct BlockingCompletionTests {
    @Test("delay neither the motor's turn-off nor the stop of another sound after a flip")
    func flip() throws {
        // The completion used to run inside the state machine: turn-offs and stops waited until it returned.
        let (bench, short, long) = try SoundsBench.registered(milliseconds: 100, 10_000)
        try bench.sounds.addCompletion(for: short) { [clock = bench.clock] _, _ in clock.advance(by: .seconds(4)) }
        bench.play(short)
        bench.play(.vibrate)
        _ = bench.clock.schedule(at: bench.start + .milliseconds(200)) { bench.play(long) }
        _ = bench.clock.schedule(at: bench.start + .milliseconds(1000)) { bench.board.ringSilent.position = .silent }
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.clock.now == bench.start + .milliseconds(4100))
        #expect(bench.turns == [0..<400_000] && bench.heard == [0..<100_000, 200_000..<1_000_000])
        #expect(bench.outcomes.count == 3)
    }

    @Test("delay neither the rounds of an alert nor its stop")
    func alert() throws {
        let bench = try SoundsBench(preferences: UserPreferences(vibrateOnRing: false))
        let alerts = Alerts(bench.sounds)
        let ring = try bench.register(milliseconds: 300)
        bench.sounds.startVibration { [clock = bench.clock] _ in clock.advance(by: .seconds(4)) }
        alerts.start(ring)
        _ = bench.clock.schedule(at: bench.start + .milliseconds(1000)) { alerts.stop() }
        bench.clock.advance(by: .milliseconds(400))
        #expect(bench.heard == [0..<300_000, 300_000..<600_000, 600_000..<900_000, 900_000..<1_000_000])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("of an alert leave the motor and other alerts alone")
    func ofAlert() throws {
        let bench = try SoundsBench(position: .silent)
        let alerts = Alerts(bench.sounds)
        let ring = try bench.register(milliseconds: 300)
        alerts.start(ring, limit: .milliseconds(200)) { [clock = bench.clock] _ in
            bench.sounds.startVibration()
            alerts.start(ring, limit: .seconds(1))
            clock.advance(by: .seconds(4))
        }
        bench.clock.advance(by: .milliseconds(200))
        #expect(!bench.board.motor.isOn && !alerts.isRunning)
        #expect(bench.turns.last.map { $0.upperBound <= 1_300_000 } == true)
    }

    @Test("that know their outcome at once run before the call returns, inside one another's calls as well")
    func nested() throws {
        let bench = try SoundsBench(position: .silent)
        let sound = try bench.register(milliseconds: 300)
        var isOver = false
        let order = Record<Int>()
        bench.sounds.start(sound) { [sounds = bench.sounds] _ in
            sounds.start(sound) { _ in order.append(2) }
            order.append(1)
        }
        isOver = true
        #expect(order.all == [1] && isOver)
        bench.clock.advance(by: .milliseconds(1))
        #expect(order.all == [1, 2])
    }
}
