import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

// A completion that moves the clock simulates one that blocks for that long: the device continues meanwhile.
@Suite("Completions that block")
struct UserCodeTests {
    @Test("a vibration's completion that blocks for 4 s does not lengthen the vibration after it")
    func vibration() throws {
        let bench = VibratorBench()
        let clock = bench.clock
        bench.vibrator.start(try .ms("1000")) { _ in clock.advance(by: .seconds(4)) }
        clock.advance(by: .milliseconds(100))
        bench.play(try .ms("300"))
        clock.advance(by: .seconds(5))
        #expect(bench.turns == "0-400")
        #expect(bench.ends.all == [.finished])
    }

    @Test("a sound's completion that blocks does not keep another sound heard past a flip to silent")
    func sound() throws {
        let bench = try PlayerBench()
        bench.player.startOutsideSessions(
            .silence(duration: .milliseconds(100), sampleRate: 48_000), as: .session(.soloAmbient)
        ) {
            [clock = bench.clock, board = bench.board] _ in
            clock.advance(by: .milliseconds(900))
            board.ringSilent.position = .silent
            clock.advance(by: .seconds(3))
        }
        bench.play(3000)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.board.speaker.recordings[1].played == 48_000)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
    }

    @Test("a reading's completion that blocks does not keep a sound heard past a flip to silent")
    func detector() throws {
        let bench = try PlayerBench()
        bench.play(3000)
        bench.detector.measure { [clock = bench.clock, board = bench.board] _ in
            board.ringSilent.position = .silent
            clock.advance(by: .seconds(4))
        }
        bench.clock.advance(by: .seconds(5))
        #expect(bench.board.speaker.recordings[0].played == 4_800)
    }

    @Test("an activation's and a session sound's completion that block do not keep a sound heard past a flip")
    func session() throws {
        let bench = try PlayerBench()
        let session = bench.sessions.make(category: .ambient)
        session.activate { [clock = bench.clock] error in
            #expect(error == nil)
            clock.advance(by: .milliseconds(500))
        }
        let sound = PCMBuffer.silence(duration: .milliseconds(100), sampleRate: 48_000)
        session.start(sound) { [clock = bench.clock, board = bench.board] _ in
            board.ringSilent.position = .silent
            clock.advance(by: .seconds(4))
        }
        session.start(.silence(duration: .seconds(3), sampleRate: 48_000))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.board.speaker.recordings[1].played == 4_800)
    }

    @Test("an outcome that is known at once reaches the completion on the caller's thread before the call returns")
    func atOnce() throws {
        let bench = try PlayerBench(position: .silent)
        let isOver = Atomic(false)
        bench.player.startOutsideSessions(
            .silence(duration: .seconds(1), sampleRate: 48_000), as: .session(.soloAmbient)
        ) { _ in
            isOver.store(UserCode.isRunning, ordering: .relaxed)
        }
        let wasOver = isOver.load(ordering: .relaxed)
        #expect(wasOver)
        #expect(UserCode.isRunning == false)
    }

    // Each call was on the stack of the one before, until the process died with the motor on.
    @Test("a completion that makes its call again, whose outcome is known at once, may do so without end")
    func again() throws {
        let bench = try PlayerBench(position: .silent)
        let left = Mutex(20_000)
        @Sendable func next() {
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { return }
            bench.player.startOutsideSessions(
                .silence(duration: .milliseconds(1), sampleRate: 48_000), as: .session(.soloAmbient)
            ) { _ in next() }
        }
        next()
        #expect(left.withLock { $0 } == 0)
    }

    @Test("a completion that vibrates again while the motor cannot be turned off may do so without end")
    func vibratesAgain() throws {
        let bench = VibratorBench()
        let jammed = RingerError(.system, "turn off", "motor")
        bench.motor.failTurnOff(with: [jammed])
        let pattern = try VibrationPattern.ms("100")
        let left = Mutex(20_000)
        @Sendable func next(_ end: SoundOutcome) {
            bench.ends.append(end)
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if !isLast { bench.vibrator.start(pattern, completion: next) }
        }
        bench.vibrator.start(pattern, completion: next)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.ends.all == Array(repeating: .failed(jammed), count: 20_000))
        #expect(bench.turns == "0-110")
    }

    // It was heard until the clock moved.
    @Test("a task that was cancelled before its call hears and feels nothing")
    func cancelledBefore() async throws {
        let bench = try PlayerBench()
        let vibrator = VibratorBench()
        let pattern = try VibrationPattern.ms("100")
        let task = Task {
            // Until it is cancelled.
            while !Task.isCancelled { await Task.yield() }
            let sound = await bench.player.playOutsideSessions(
                .silence(duration: .seconds(1), sampleRate: 48_000), as: .session(.playback))
            return (sound.outcome, await vibrator.vibrator.vibrate(pattern))
        }
        task.cancel()
        let (outcome, end) = await task.value
        #expect(outcome == .stopped(.caller) && end == .stopped(.caller))
        #expect(bench.board.speaker.recordings.allSatisfy { $0.start == nil })
        #expect(vibrator.motor.turns.isEmpty)
    }

    @Test("completions run one after another, each after the state machine that brought it")
    func serial() throws {
        let bench = try PlayerBench()
        let order = Record<Int>()
        for number in 0..<3 {
            bench.player.startOutsideSessions(
                .silence(duration: .milliseconds(100 + number), sampleRate: 48_000), as: .session(.ambient)
            ) { [clock = bench.clock] _ in
                order.append(number)
                clock.advance(by: .seconds(1))
                order.append(number + 10)
            }
        }
        bench.clock.advance(by: .seconds(5))
        #expect(order.all == [0, 10, 1, 11, 2, 12])
    }

    @Test("players that are created while the switch moves all know where it ended")
    func createdDuringAnEdge() async {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        for round in 0..<2_000 {
            let publisher = StatePublisher()
            publisher.ringSilent(.position(.ring, at: clock.now), from: "switch")
            async let mover: Void = Task.detached {
                publisher.ringSilent(.position(.silent, at: clock.now), from: "switch")
            }.value
            let player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher)
            await mover
            #expect(player.rules.state.ringSilent == .silent, "round \(round)")
        }
    }
}
