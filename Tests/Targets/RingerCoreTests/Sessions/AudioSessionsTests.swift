import RingerTestKit
import Testing

@testable import RingerCore

@Suite("Audio sessions that play")
struct AudioSessionsTests {
    @Test("a session that was made and activated is heard, and its sound plays to its end")
    func playsToTheEnd() async throws {
        let bench = try SessionBench()
        let session = bench.bench.sessions.make(name: "chime")
        #expect(session.category == .soloAmbient && !session.isActive && !session.isAudible)
        try await session.activate()
        #expect(session.isActive && session.isAudible && session.routeName == "Speaker")
        let sound = PCMBuffer.silence(duration: .milliseconds(200), sampleRate: 48_000)
        let result = try await bench.clock.drive { await session.play(sound) }
        #expect(result.outcome == .finished && result.elapsed == .milliseconds(200))
        #expect(bench.told == ["chime: activated", "chime: audible"])
    }

    @Test("a sound in a session that is not active fails by that name, and none is played")
    func notActive() throws {
        let (bench, session) = try SessionBench.make("chime", .playback)
        bench.start(session)
        guard case .failed(let error)? = bench.outcomes.first else {
            Issue.record("\(bench.outcomes)")
            return
        }
        #expect(error.code == .sessionNotActive)
        #expect(bench.recordings.isEmpty)
    }

    @Test("two sessions that mix are both heard at full gain")
    func mixing() throws {
        let (bench, first) = try SessionBench.playing("music", .ambient)
        let second = try bench.playing("game", .ambient)
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.recordings.map(\.gains) == [[1], [1]])
        #expect(bench.bench.player.playing == 2 && first.isAudible && second.isAudible)
        #expect(first.isOtherAudioPlaying && second.isOtherAudioPlaying)
    }

    @Test("a session that ducks takes the other down to the documented gain at once, and lets it come back")
    func ducking() throws {
        let (bench, music) = try SessionBench.playing("music", .playback, .mixWithOthers)
        bench.clock.advance(by: .milliseconds(100))
        let voice = try bench.playing("voice", .playback, .duckOthers)
        #expect(bench.recordings[0].gains == [1, Ducking.gain])
        #expect(bench.recordings[1].gains == [1])
        bench.clock.advance(by: .milliseconds(100))
        voice.deactivate { _ in }
        bench.clock.advance(by: .zero)
        #expect(bench.recordings[0].gains == [1, Ducking.gain, 1])
        #expect(bench.outcomes == [.stopped(.sessionDeactivated)])
        #expect(bench.recordings[1].played == 4800)
        #expect(music.isAudible)
        #expect(
            bench.told == [
                "music: activated", "music: audible", "voice: activated", "music: ducked", "voice: audible",
                "voice: stopped, deactivation", "voice: deactivated", "music: unducked",
            ])
    }

    /// What was heard at the frames of the first recording, against the curve that begins at `first`.
    private func expect(
        _ bench: SessionBench, from first: Int, over frames: Int, _ old: Float, _ new: Float,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let recording = bench.recordings[0]
        for frame in 0..<frames + 480 {
            let expected = frame < frames ? old + (new - old) * (Float(frame) / Float(frames)) : new
            let gain = recording.gain(at: first + frame)
            if abs(gain - expected) > 0.000_001 {
                Issue.record("frame \(first + frame): \(gain), not \(expected)", sourceLocation: place)
                return
            }
        }
    }

    @Test(
        "ducking falls to the user's depth and rises again in the user's times, frame by frame",
        arguments: [(14, 20, 20), (6, 500, 2_000), (30, 0, 100), (50, 100, 0), (0, 20, 20)] as [(Float, Int, Int)])
    func ramps(depth: Float, down: Int, up: Int) throws {
        let bench = try SessionBench()
        bench.bench.player.preferences = UserPreferences(
            duckingDepth: depth, duckingDown: .milliseconds(down), duckingUp: .milliseconds(up))
        let ducked = bench.bench.player.preferences.duckingGain
        let music = try bench.playing("music", .playback, .mixWithOthers)
        bench.clock.advance(by: .milliseconds(100))
        let voice = try bench.playing("voice", .playback, .duckOthers)
        bench.clock.advance(by: .milliseconds(3_000))
        voice.deactivate { _ in }
        bench.clock.advance(by: .milliseconds(3_000))
        expect(bench, from: 4_800, over: down * 48, 1, ducked)
        expect(bench, from: 148_800, over: up * 48, ducked, 1)
        #expect(bench.recordings[0].gain(at: 4_799) == 1)
        #expect(bench.recordings[1].gains == [1])
        if depth == 50 { #expect(bench.recordings[0].gains == [1, 0, 1]) }
        if depth == 0 { #expect(bench.recordings[0].gains == [1]) }
        withExtendedLifetime(music) {}
    }

    @Test("what ducks ends in mid-ramp: the gain turns round where it is")
    func turnsRound() throws {
        let bench = try SessionBench()
        bench.bench.player.preferences = UserPreferences(
            duckingDepth: 20, duckingDown: .milliseconds(1_000), duckingUp: .milliseconds(200))
        let music = try bench.playing("music", .playback, .mixWithOthers)
        let voice = try bench.playing("voice", .playback, .duckOthers)
        bench.clock.advance(by: .milliseconds(500))
        expect(bench, from: 0, over: 48_000, 1, 0.1)
        voice.deactivate { _ in }
        bench.clock.advance(by: .milliseconds(100))
        expect(bench, from: 24_000, over: 9_600, 0.55, 1)
        let next = try bench.playing("voice", .playback, .duckOthers)
        bench.clock.advance(by: .milliseconds(50))
        expect(bench, from: 28_800, over: 48_000, 0.775, 0.1)
        withExtendedLifetime((music, next)) {}
    }

    @Test("a depth that the user changes is heard in what is ducked; the volume keeps its own ramp")
    func depthChanges() throws {
        let bench = try SessionBench()
        bench.bench.player.preferences.duckingUp = .milliseconds(300)
        let music = try bench.playing("music", .playback, .mixWithOthers)
        let voice = try bench.playing("voice", .playback, .duckOthers)
        bench.clock.advance(by: .milliseconds(100))
        bench.bench.player.preferences.duckingDepth = 6
        bench.clock.advance(by: .milliseconds(500))
        let gain = bench.bench.player.preferences.duckingGain
        #expect(bench.recordings[0].gains == [1, Ducking.gain, gain])
        expect(bench, from: 4_800, over: 14_400, Ducking.gain, gain)
        bench.bench.player.setVolume(0.5, of: SoundPlayer.ID(number: 1))
        bench.clock.advance(by: .milliseconds(100))
        expect(bench, from: 28_800, over: 960, gain, gain / 2)
        withExtendedLifetime((music, voice)) {}
    }

    @Test("the switch silences what is ducked at once, in the middle of the longest ramp")
    func switchInRamp() throws {
        let bench = try SessionBench()
        bench.bench.player.preferences.duckingDown = .seconds(2)
        let music = try bench.playing("music", .playback, [.mixWithOthers, .honoursRingSilentSwitch])
        let voice = try bench.playing("voice", .playback, .duckOthers)
        bench.clock.advance(by: .milliseconds(500))
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(bench.recordings[0].played == 24_000)
        withExtendedLifetime((music, voice)) {}
    }

    @Test("a sound that begins while its session is ducked begins at the ducked gain")
    func beginsDucked() throws {
        let (bench, music) = try SessionBench.make("music", .playback, .mixWithOthers)
        #expect(bench.activate(music) == nil)
        let voice = try bench.playing("voice", .playback, .duckOthers)
        bench.start(music)
        #expect(bench.recordings[1].gains == [Ducking.gain])
        #expect(voice.isAudible)
    }

    @Test("an interruption silences what plays before the new session begins, and its end lets it resume")
    func interruption() throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        bench.clock.advance(by: .milliseconds(100))
        let call = try bench.playing("call", .soloAmbient)
        #expect(bench.outcomes == [.silenced(by: .interruption)])
        #expect(bench.recordings[0].played == 4800)
        #expect(music.isInterrupted && !music.isAudible && call.isAudible)
        bench.start(music)
        #expect(bench.outcomes == [.silenced(by: .interruption), .silenced(by: .interruption)])
        call.deactivate { _ in }
        #expect(music.isActive && music.isAudible)
        bench.start(music)
        #expect(bench.recordings.count == 3)
        #expect(
            bench.told == [
                "music: activated", "music: audible", "music: stopped, interruption",
                "music: interrupted by a session", "call: activated", "call: audible",
                "call: stopped, deactivation", "call: deactivated", "music: resume", "music: audible",
            ])
    }

    @Test("a sound continues where it stopped")
    func resumes() throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        bench.clock.advance(by: .milliseconds(100))
        let outside = bench.bench.sessions.interruptionBegan()
        bench.clock.advance(by: .zero)
        let position = try #require(bench.bench.results.all.first).position
        #expect(position.played == 4800)
        bench.bench.sessions.interruptionEnded(outside)
        let sound = PCMBuffer.silence(duration: .milliseconds(300), sampleRate: 48_000)
        music.start(sound, from: position.played) { [results = bench.bench.results] in results.append($0) }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes.last == .finished)
        #expect(bench.bench.results.all.last?.elapsed == .milliseconds(200))
    }

    @Test(
        "a call that rings interrupts every session, one that is answered has no end, and none is activated meanwhile")
    func call() throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        let game = try bench.playing("game", .ambient)
        let ringing = bench.bench.sessions.interruptionBegan()
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .interruption), .silenced(by: .interruption)])
        #expect(bench.bench.publisher.state.sessions == .interrupted)
        let late = try bench.make("late", .playback)
        #expect(bench.activate(late) == .notActive)
        bench.bench.sessions.interruptionAnswered(ringing)
        #expect(bench.bench.publisher.state.sessions == [])
        #expect(!music.isActive && !music.isInterrupted && !game.isActive)
        #expect(bench.told.suffix(2) == ["music: dropped, answered", "game: dropped, answered"])
        #expect(bench.activate(music) == nil)
    }

    @Test("an interruption that ends without leave to resume leaves the session inactive")
    func noResume() throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        let alarm = bench.bench.sessions.interruptionBegan()
        bench.bench.sessions.interruptionEnded(alarm, shouldResume: false)
        #expect(!music.isActive && bench.told.last == "music: no resume")
    }

    @Test("of three sessions that mix, interrupting one leaves the others playing")
    func several() throws {
        let (bench, solo) = try SessionBench.playing("solo", .soloAmbient)
        let mixed = try (0..<3).map { try bench.playing("mixed \($0)", .ambient) }
        let exclusive = try bench.playing("exclusive", .playback)
        #expect(bench.outcomes == [.silenced(by: .interruption)])
        #expect(bench.bench.player.playing == 4)
        #expect(mixed.allSatisfy(\.isAudible) && exclusive.isAudible && solo.isInterrupted)
    }

    @Test("a session that is dropped while it plays stops, and those that it interrupted resume")
    func dropped() throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        var guest: AudioSession? = try bench.playing("guest", .playback)
        #expect(guest?.isActive == true && music.isInterrupted)
        guest = nil
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes.last == .stopped(.sessionRemoved))
        #expect(music.isActive)
        #expect(bench.bench.sessions.all.count == 1)
    }

    @Test("a flip silences the session that honours the switch, and notifies it; back at ring it is audible")
    func flip() throws {
        let (bench, session) = try SessionBench.playing("chime", .soloAmbient)
        bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .zero)
        #expect(bench.outcomes == [.silenced(by: .ringSilentSwitch)])
        #expect(!session.isAudible && session.routeName == "")
        bench.board.ringSilent.position = .ring
        #expect(session.isAudible && session.routeName == "Speaker")
        #expect(bench.told(since: 2) == ["chime: silenced, ringSilentSwitch", "chime: audible"])
    }

    @Test("a system sound is silenced while a session records, and the detector cannot say")
    func record() throws {
        let (bench, recorder) = try SessionBench.make("recorder", .record)
        #expect(bench.activate(recorder) == nil)
        #expect(bench.bench.publisher.state.sessions == [.silencesPlayback, .records])
        bench.bench.play(100, as: .systemSound())
        #expect(bench.outcomes == [.silenced(by: .sessionSilencesPlayback)])
        bench.bench.measure()
        #expect(bench.bench.readings.all.map(\.cause) == [.recording])
        recorder.deactivate { _ in }
        #expect(bench.bench.publisher.state.sessions == [])
        bench.bench.play(100, as: .systemSound())
        bench.clock.advance(by: .seconds(1))
        #expect(bench.outcomes.last == .finished)
    }

    @Test("the detector cannot say while a call rings")
    func detectorInterrupted() throws {
        let bench = try SessionBench()
        let ringing = bench.bench.sessions.interruptionBegan()
        bench.bench.measure()
        #expect(bench.bench.readings.all.map(\.cause) == [.interruption])
        bench.bench.sessions.interruptionEnded(ringing)
        bench.bench.measure()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.bench.readings.all.last?.verdict == .audible)
    }

    @Test("what firmware says of other sessions holds beside one's own")
    func otherSessions() throws {
        let bench = try SessionBench()
        bench.bench.publisher.sessions(are: .records)
        let session = try bench.make("call", .playAndRecord)
        #expect(bench.activate(session) == nil)
        session.deactivate { _ in }
        #expect(bench.bench.publisher.state.sessions == .records)
    }

    @Test("events come to a subscriber in order")
    func events() async throws {
        let (bench, session) = try SessionBench.make("chime", .soloAmbient)
        var events = session.events.makeAsyncIterator()
        #expect(bench.activate(session) == nil)
        session.deactivate { _ in }
        #expect(await events.next() == .activated)
        #expect(await events.next() == .audible)
        #expect(await events.next() == .deactivated)
    }

    @Test("cancelling the task that waits for a sound stops it")
    func cancelled() async throws {
        let (bench, session) = try SessionBench.make("chime", .playback)
        try await session.activate()
        let sound = PCMBuffer.silence(duration: .seconds(1), sampleRate: 48_000)
        let task = Task { await session.play(sound) }
        task.cancel()
        let result = try await bench.clock.drive { await task.value }
        #expect(result.outcome == .stopped(.caller))
    }

    // It used to be silenced, like a sound that could be heard under other circumstances.
    @Test("a sound in audioProcessing fails with its code, active or interrupted, and one in record is silenced")
    func categoriesThatDoNotPlay() throws {
        let (bench, work) = try SessionBench.playing("work", .audioProcessing)
        let outside = bench.bench.sessions.interruptionBegan()
        bench.start(work)
        bench.bench.sessions.interruptionEnded(outside)
        let codes = bench.outcomes.map { outcome -> RingerError.Code? in
            if case .failed(let error) = outcome { error.code } else { nil }
        }
        #expect(codes == [.incompatibleCategory, .incompatibleCategory])
        work.deactivate { _ in }
        _ = try bench.playing("memo", .record)
        #expect(bench.outcomes.last == .silenced(by: .categoryDoesNotPlay))
        #expect(bench.recordings.isEmpty)
    }

    // It used to return as if it had deactivated the session.
    @Test("a request to a session of a closed device fails, and says that the device was closed")
    func closed() async throws {
        let (bench, music) = try SessionBench.playing("music", .playback)
        try await music.deactivate()
        try await music.deactivate()
        bench.bench.sessions.close()
        await #expect(throws: SessionError.self) { try await music.deactivate() }
        await #expect(throws: SessionError.self) { try await music.activate() }
        let answers = Record<SessionError?>()
        music.deactivate { answers.append($0) }
        #expect(
            answers.all == [
                SessionError(
                    .notInitialized, "deactivate", session: music.id, detail: "the device was closed")
            ])
        #expect(throws: SessionError.self) { try music.setCategory(.ambient) }
        #expect(!music.isActive)
    }

    @Test("a session that uses a hardware codec needs a category that was set, be it the default one")
    func hardwareCodec() throws {
        let bench = try SessionBench()
        let unset = bench.bench.sessions.make(name: "unset")
        try unset.setUsesHardwareCodec(true)
        #expect(bench.activate(unset) == .noCategorySet)
        try unset.setCategory(.soloAmbient)
        #expect(bench.activate(unset) == nil)
        let set = bench.bench.sessions.make(name: "set", category: .soloAmbient)
        try set.setUsesHardwareCodec(true)
        #expect(bench.activate(set) == nil)
    }
}
