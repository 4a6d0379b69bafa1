import RingerTestKit
import Testing

@testable import RingerCore

@Suite("System sounds, one at a time")
struct SystemSoundPlayingTests {
    @Test("a second sound takes the place of the first at once, which ends as replaced")
    func replaced() throws {
        let (bench, long, short) = try SoundsBench.registered(milliseconds: 1000, 50)
        bench.play(long)
        bench.clock.advance(by: .milliseconds(300))
        bench.play(short)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [0..<300_000, 300_000..<350_000])
        #expect(bench.outcomes == [.stopped(.replaced), .finished])
        #expect(bench.results.all.map(\.sound) == [long, short])
    }

    @Test("of several sounds that are asked for in one instant the last is heard, and every one completes")
    func lastWins() throws {
        let bench = try SoundsBench()
        let sounds = try (1...4).map { try bench.register(milliseconds: 100 * $0) }
        for sound in sounds { bench.play(sound) }
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard.last == 0..<400_000)
        #expect(Set(bench.results.all.map(\.sound)) == Set(sounds))
        #expect(bench.outcomes.filter { $0 == .stopped(.replaced) }.count == 3)
        #expect(bench.outcomes.last == .finished)
    }

    @Test("a sound that is silenced, and one that fails, take nobody's place")
    func silencedReplacesNobody() throws {
        let bench = try SoundsBench(preferences: UserPreferences(soundEffects: false))
        let ring = try bench.register(milliseconds: 1000)
        try bench.sounds.setIsUISound(false, of: ring)
        let click = try bench.register(milliseconds: 50)
        bench.play(ring)
        bench.clock.advance(by: .milliseconds(300))
        bench.play(click)
        bench.play(9999)
        #expect(bench.outcomes.first == .silenced(by: .soundEffectsOff))
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [0..<1_000_000])
        #expect(bench.outcomes.last == .finished)
    }

    @Test("a sound and a vibration run together")
    func soundAndVibration() throws {
        let bench = try SoundsBench()
        bench.play(try bench.register(milliseconds: 1000))
        bench.clock.advance(by: .milliseconds(100))
        bench.play(.vibrate)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [0..<1_000_000])
        #expect(bench.turns == [100_000..<500_000])
        #expect(bench.outcomes == [.finished, .finished])
    }

    @Test(
        "a second vibration takes the place of the first, and the motor turns on; it rests 0.1 s after one that is over",
        arguments: [(100, [0..<500_000], .stopped(.replaced)), (400, [0..<400_000, 500_000..<900_000], .finished)]
            as [(Int64, [Range<Int64>], SoundOutcome)])
    func secondVibration(after: Int64, turns: [Range<Int64>], first: SoundOutcome) throws {
        let bench = try SoundsBench()
        bench.play(.vibrate)
        bench.clock.advance(by: .milliseconds(after))
        bench.play(.vibrate)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.turns == turns)
        #expect(bench.outcomes == [first, .finished])
    }

    @Test("disposing of a sound stops it, frees its ID, and forgets its completion")
    func dispose() throws {
        let bench = try SoundsBench()
        let sound = try bench.register(milliseconds: 1000)
        let ended = Record<SystemSoundID>()
        try bench.sounds.addCompletion(for: sound) { id, _ in ended.append(id) }
        bench.play(sound)
        bench.clock.advance(by: .milliseconds(250))
        try bench.sounds.dispose(sound)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == [0..<250_000])
        #expect(bench.outcomes == [.stopped(.disposed)])
        #expect(ended.all.isEmpty && bench.sounds.registered == 0)
        #expect(throws: SystemSoundError.self) { try bench.sounds.dispose(sound) }
        bench.play(sound)
        #expect(bench.results.all.last?.error?.code == .unspecified)
    }

    @Test("a predefined sound cannot be disposed of")
    func disposePredefined() throws {
        let bench = try SoundsBench()
        #expect(throws: SystemSoundError.self) { try bench.sounds.dispose(1000) }
    }

    @Test("stopping a call stops its motor and its sound at once")
    func stop() throws {
        let bench = try SoundsBench()
        let call = bench.play(try bench.register(milliseconds: 1000), as: .alert)
        bench.clock.advance(by: .milliseconds(123))
        bench.sounds.stop(call)
        bench.clock.advance(by: .zero)
        #expect(bench.heard == [0..<123_000] && bench.turns == [0..<123_000])
        #expect(bench.outcomes == [.stopped(.caller)])
    }

    @Test("cancelling the task that plays stops the sound")
    func cancel() throws {
        let (bench, executor) = (try SoundsBench(), ManualExecutor())
        let sound = try bench.register(milliseconds: 1000)
        let task = Task(executorPreference: executor) { bench.results.append(await bench.sounds.play(sound)) }
        executor.advance(bench.clock, by: .milliseconds(200))
        task.cancel()
        executor.advance(bench.clock, by: .milliseconds(10))
        #expect(bench.outcomes == [.stopped(.caller)])
        #expect(bench.results.all.map(\.elapsed) == [.milliseconds(200)])
    }

    @Test(
        "a flip to silent stops a system sound; an alert's vibration goes on, unless the user wants none there",
        arguments: [(true, 400_000, .finished), (false, 250_000, .stopped(.caller))] as [(Bool, Int64, SoundOutcome)])
    func flip(vibratesOnSilent: Bool, end: Int64, vibration: SoundOutcome) throws {
        let bench = try SoundsBench(preferences: UserPreferences(vibrateOnSilent: vibratesOnSilent))
        bench.play(try bench.register(milliseconds: 1000), as: .alert)
        bench.clock.advance(by: .milliseconds(250))
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<250_000] && bench.turns == [0..<end])
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.results.all.first?.vibration == vibration)
    }

    @Test("do-not-disturb ends a vibration that waits for the motor before it begins")
    func waitingVibration() throws {
        // It used to begin all the same, half a second after do-not-disturb was switched on.
        let bench = try SoundsBench(position: .silent)
        let alerts = Alerts(bench.sounds)
        alerts.start(try bench.register(milliseconds: 300))
        bench.clock.advance(by: .milliseconds(100))
        bench.play(.vibrate)
        bench.clock.advance(by: .milliseconds(100))
        bench.player.preferences.doNotDisturb = true
        bench.clock.advance(by: .seconds(5))
        #expect(bench.turns == [0..<500_000])
        alerts.stop()
    }

    @Test("nothing vibrates where alerts may not, while a session records")
    func recording() throws {
        let bench = try SoundsBench(position: .silent)
        bench.publisher.sessions(are: .records)
        bench.play(try bench.register(milliseconds: 100), as: .alert)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)] && bench.turns.isEmpty)
    }

    @Test("a motor that fails is told, and the sound of an alert is heard all the same")
    func failingMotor() throws {
        let bench = try SoundsBench()
        let error = RingerError(.disconnected, "turn on", "motor")
        bench.board.motor.failTurnOn(with: error)
        bench.play(try bench.register(milliseconds: 100), as: .alert)
        bench.play(.vibrate)
        bench.clock.advance(by: .seconds(1))
        let alert = try #require(bench.results.all.first { $0.sound != .vibrate })
        let vibration = try #require(bench.results.all.first { $0.sound == .vibrate })
        #expect(alert.outcome == .finished && alert.vibration == .failed(error) && !alert.vibrated)
        #expect(vibration.outcome == .failed(error))
    }

    @Test("a device without a motor says so, and rings")
    func noMotor() throws {
        let bench = try SoundsBench(hasMotor: false)
        bench.play(try bench.register(milliseconds: 100), as: .alert)
        bench.play(.vibrate)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<100_000])
        #expect(bench.results.all.allSatisfy { !$0.vibrated })
        #expect(bench.results.all.contains { $0.sound == .vibrate && $0.error != nil })
    }

    @Test("a client that ends stops its sounds, but not those that are to be played to their end")
    func clientDies() throws {
        let bench = try SoundsBench()
        let chime = try bench.register(milliseconds: 500)
        try bench.sounds.setCompletesPlaybackIfAppDies(true, of: chime)
        bench.play(chime)
        bench.play(.vibrate)
        bench.clock.advance(by: .milliseconds(100))
        bench.sounds.close()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == [0..<500_000] && bench.turns == [0..<100_000])
        #expect(bench.outcomes == [.stopped(.closed), .finished])
        #expect(throws: SystemSoundError.self) { try bench.register(milliseconds: 100) }
    }
}
