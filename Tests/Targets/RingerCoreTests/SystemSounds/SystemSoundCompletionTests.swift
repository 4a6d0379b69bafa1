import RingerTestKit
import Synchronization
import Testing

@testable import RingerCore

@Suite("Completions of system sounds")
struct SystemSoundCompletionTests {
    @Test("the completion of an ID is called each time it ends, silenced or not, and says nothing of another ID")
    func perID() throws {
        let (bench, sound, other) = try SoundsBench.registered(milliseconds: 100, 100)
        let ended = Record<SystemSoundID>()
        try bench.sounds.addCompletion(for: sound) { id, _ in ended.append(id) }
        bench.play(sound)
        bench.clock.advance(by: .seconds(1))
        bench.play(other)
        bench.play(.vibrate)
        bench.clock.advance(by: .seconds(1))
        bench.board.ringSilent.position = .silent
        bench.play(sound)
        #expect(ended.all == [sound, sound])
    }

    @Test("a completion that was removed is not called any more")
    func removed() throws {
        let bench = try SoundsBench()
        let ended = Record<SystemSoundID>()
        try bench.sounds.addCompletion(for: .vibrate) { id, _ in ended.append(id) }
        bench.play(.vibrate)
        bench.sounds.removeCompletion(for: .vibrate)
        bench.clock.advance(by: .seconds(1))
        #expect(ended.all.isEmpty)
    }

    @Test("adding a completion to an ID that nobody has is refused")
    func unknownID() throws {
        let bench = try SoundsBench()
        #expect(throws: SystemSoundError.self) { try bench.sounds.addCompletion(for: 9999) { _, _ in } }
    }

    @Test("every call, and its ID, completes once: an unknown ID, an output that fails")
    func failures() throws {
        // The completion of the ID used to be left out where the sound failed: a loop built on it ended there.
        let bench = try SoundsBench()
        bench.play(9999)
        bench.clock.advance(by: .seconds(1))
        bench.board.speaker.fault = .missing
        let ended = Record<SoundOutcome>()
        let sound = try bench.register(milliseconds: 100)
        try bench.sounds.addCompletion(for: sound) { _, outcome in ended.append(outcome) }
        bench.play(sound)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all.map { $0.error?.code } == [.unspecified, .unspecified])
        #expect(bench.results.all.map { $0.error?.cause.code } == [.notFound, .notFound])
        #expect(ended.all == [bench.outcomes[1]])
    }

    @Test("a ring loop written the old way plays until its flag says stop, without a gap")
    func oldLoop() throws {
        let bench = try SoundsBench()
        let ring = try bench.register(milliseconds: 300)
        let isRinging = Atomic(true)
        try bench.sounds.addCompletion(for: ring) { [sounds = bench.sounds] id, _ in
            if isRinging.load(ordering: .relaxed) { sounds.start(id) }
        }
        bench.sounds.start(ring)
        bench.clock.advance(by: .milliseconds(1000))
        isRinging.store(false, ordering: .relaxed)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.heard == [0..<300_000, 300_000..<600_000, 600_000..<900_000, 900_000..<1_200_000])
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a vibration loop written the old way lets the motor rest, for as long as it likes")
    func oldVibrationLoop() throws {
        let bench = try SoundsBench()
        let isRinging = Atomic(true)
        try bench.sounds.addCompletion(for: .vibrate) { [sounds = bench.sounds] id, _ in
            if isRinging.load(ordering: .relaxed) { sounds.start(id) }
        }
        bench.sounds.start(.vibrate)
        bench.clock.advance(by: .seconds(60))
        isRinging.store(false, ordering: .relaxed)
        bench.clock.advance(by: .seconds(10))
        #expect(bench.turns.count == 121)
        #expect(bench.turns.allSatisfy { $0.count == 400_000 })
        #expect(!bench.board.motor.isOn)
    }

    @Test("a ring loop at silent does not stand still in time: its sounds complete 1 ms apart")
    func oldLoopAtSilent() throws {
        // It used to be called again from within its own completion, for ever.
        let bench = try SoundsBench(position: .silent)
        let ring = try bench.register(milliseconds: 300)
        let rounds = Atomic(0)
        try bench.sounds.addCompletion(for: ring) { [sounds = bench.sounds] id, _ in
            rounds.add(1, ordering: .relaxed)
            sounds.start(id)
        }
        bench.sounds.start(ring)
        #expect(rounds.load(ordering: .relaxed) == 1)
        bench.clock.advance(by: .milliseconds(10))
        #expect(rounds.load(ordering: .relaxed) == 11)
        bench.sounds.removeCompletion(for: ring)
        bench.board.ringSilent.position = .ring
        bench.clock.advance(by: .seconds(1))
        #expect(rounds.load(ordering: .relaxed) == 11 && bench.sounds.underWay == 0)
    }

    @Test("a loop of failures does not stand still in time either")
    func failureLoop() throws {
        let bench = try SoundsBench()
        let rounds = Atomic(0)
        @Sendable func again(_ sounds: SystemSoundServices) {
            sounds.start(9999) { _ in
                if rounds.add(1, ordering: .relaxed).newValue < 100 { again(sounds) }
            }
        }
        again(bench.sounds)
        #expect(rounds.load(ordering: .relaxed) == 1)
        bench.clock.advance(by: .milliseconds(99))
        #expect(rounds.load(ordering: .relaxed) == 100)
    }

    @Test("two silenced sounds that play each other do not stand still in time")
    func pingPong() throws {
        let bench = try SoundsBench(position: .silent)
        let ids = [try bench.register(milliseconds: 100), try bench.register(milliseconds: 100)]
        let rounds = Atomic(0)
        for (id, other) in [(ids[0], ids[1]), (ids[1], ids[0])] {
            try bench.sounds.addCompletion(for: id) { [sounds = bench.sounds] _, _ in
                if rounds.add(1, ordering: .relaxed).newValue < 100 { sounds.start(other) }
            }
        }
        bench.sounds.start(ids[0])
        #expect(rounds.load(ordering: .relaxed) == 1)
        bench.clock.advance(by: .milliseconds(99))
        #expect(rounds.load(ordering: .relaxed) == 100)
    }

    @Test("a loop that awaits silenced sounds moves the clock of a test")
    func asyncLoop() async throws {
        let bench = try SoundsBench(position: .silent)
        let id = try bench.register(milliseconds: 100)
        let (sounds, clock, end) = (bench.sounds, bench.clock, bench.start + .milliseconds(3))
        let rounds = try await clock.drive {
            var rounds = 0
            while clock.now < end {
                _ = await sounds.play(id)
                rounds += 1
            }
            return rounds
        }
        #expect(rounds <= LoopPace.freeRounds + 1)
    }

    @Test("a burst of silenced sounds completes at once, however many they are")
    func burst() throws {
        let bench = try SoundsBench(position: .silent)
        let sound = try bench.register(milliseconds: 300)
        for _ in 0..<500 { bench.play(sound) }
        #expect(bench.results.all.count == 500)
        // More than a thousand in one instant are a loop on a clock that stands still.
        for _ in 0..<1500 { bench.play(sound) }
        #expect(bench.results.all.count == LoopPace.freeRounds)
        bench.clock.advance(by: LoopPace.interval)
        #expect(bench.results.all.count == 2000)
    }

    @Test("a sound without frames fails as soon as it begins: nothing of it was heard")
    func empty() throws {
        let bench = try SoundsBench()
        bench.play(try bench.register(milliseconds: 0))
        #expect(bench.outcomes.count == 1 && bench.heard.isEmpty)
        let failed = if case .failed = bench.outcomes.first { true } else { false }
        #expect(failed, "\(bench.outcomes)")
    }
}
