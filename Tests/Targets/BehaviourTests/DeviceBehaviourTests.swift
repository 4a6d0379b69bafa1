import RingerLinux
import RingerTestKit
import Testing

/// What a program sees of its device, in virtual time: the same in the process and over the service.
/// Over the service each test runs anew with the service killed and started again, at each moment, or at some of them (`RINGER_RESTARTS`).
@Suite(.restarts, .filterIssues { _ in RestartedRun.current?.isOrdinary != false }) struct DeviceBehaviourTests {
    static func tone(milliseconds: Int) -> PCMBuffer {
        PCMBuffer(
            sampleRate: 48_000, channels: 1, samples: (0..<milliseconds * 48).map { Int16(truncatingIfNeeded: $0) })
    }

    // MARK: - State

    @Test("the state at the start, then each flip", arguments: Connection.allCases)
    func states(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let device = bench.device
        #expect(device.state.ringSilent == .ring && device.state.route == .speaker && !device.state.isSwitchUnreadable)
        bench.flip(to: .silent)
        #expect(device.state.ringSilent == .silent)
        #expect(device.decide(.alert).isHeard == false)
        bench.flip(to: .ring)
        #expect(device.state.ringSilent == .ring && device.decide(.alert).isHeard)
    }

    @Test("events report each flip in order", arguments: Connection.allCases)
    func events(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let events = bench.device.events
        bench.flip(to: .silent)
        bench.flip(to: .ring)
        bench.device.close()
        var positions: [SwitchPosition] = []
        for await case .switchMoved(let position, _, _) in events { positions.append(position) }
        #expect(positions == [.silent, .ring])
    }

    @Test("jacks, volume, input and lock", arguments: Connection.allCases)
    func surroundings(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let device = bench.device
        bench.board.surroundings.set(.headphoneInserted(true))
        bench.board.surroundings.set(.outputVolume(0.5))
        bench.board.surroundings.set(.inputAvailable(true))
        bench.set(.screenLocked(true))
        let state = device.state
        #expect(state.isHeadphoneInserted && state.route == .headphone && state.isScreenLocked)
        #expect(state.outputVolume == 0.5 && state.isInputAvailable == true)
        bench.set(.headphoneInserted(false))
        #expect(device.state.route == .speaker)
    }

    @Test("preferences are in force at once, and are what they were set to", arguments: Connection.allCases)
    func preferences(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        var preferences = UserPreferences()
        preferences.doNotDisturb = true
        bench.device.preferences = preferences
        #expect(bench.device.preferences == preferences && !bench.device.decide(.alert).isHeard)
        bench.advance(.zero)
        #expect(bench.device.preferences == preferences)
        if let service = bench.service { #expect(service.device.preferences == preferences) }
    }

    @Test("keys report each press and release, with the time of the edge", arguments: Connection.allCases)
    func keys(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let events = bench.device.events
        let start = bench.clock.now
        bench.board.keys.press(.silenceRing)
        bench.board.keys.press(.silenceRing)
        bench.advance(.milliseconds(100))
        bench.board.keys.release(.silenceRing)
        bench.advance(.zero)
        bench.device.close()
        var keys: [DeviceEvent] = []
        for await event in events { if case .key = event { keys.append(event) } }
        #expect(
            keys == [
                .key(.silenceRing, isPressed: true, at: start),
                .key(.silenceRing, isPressed: false, at: start + .milliseconds(100)),
            ])
    }

    @Test(
        "the status light shows what was shown last, and is off when the device is closed",
        arguments: Connection.allCases)
    func light(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let light = try #require(bench.device.statusLight)
        #expect(light.name == "simulated status light")
        let blinking = LightPattern.blinking(on: .milliseconds(100), off: .milliseconds(900))
        for pattern in [LightPattern.on, blinking, .off, blinking] {
            try light.show(pattern)
            bench.advance(.zero)
            #expect(bench.board.statusLight.pattern == pattern)
        }
        bench.device.close()
        // A client that has left waits for nothing: its last message is still on its way.
        try await eventually("the light is off") { bench.board.statusLight.pattern == .off }
        #expect(bench.board.statusLight.shown.map(\.pattern) == [.on, blinking, .off, blinking, .off])
    }

    // MARK: - Sounds

    @Test("a sound plays to its end, sample for sample", arguments: Connection.allCases)
    func play(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let tone = Self.tone(milliseconds: 200)
        let result = try await bench.run { try await $0.play(tone, category: .playback) }
        #expect(result.outcome == .finished && result.elapsed == .milliseconds(200))
        #expect(result.position.played == 9_600 && result.position.total == 9_600)
        let recordings = bench.board.speaker.recordings
        #expect(recordings.map(\.outcome) == [.drained] && recordings[0].samples.elementsEqual(tone.samples))
    }

    @Test(
        "a flip to silent ends a sound that honours the switch, and not one that does not",
        arguments: Connection.allCases)
    func flip(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let (ambient, playback) = (Results<SoundResult>(), Results<SoundResult>())
        try bench.device.start(Self.tone(milliseconds: 500), category: .ambient) { ambient.append($0) }
        try bench.device.start(
            Self.tone(milliseconds: 500), category: .playback, options: .mixWithOthers
        ) { playback.append($0) }
        bench.advance(.milliseconds(100))
        bench.flip(to: .silent)
        bench.advance(.milliseconds(50))
        #expect(ambient.all.map(\.outcome) == [.silenced(by: .ringSilentSwitch)])
        #expect((ambient.all.first?.position.played ?? 0) < 10_000)
        #expect(playback.all.isEmpty)
        bench.advance(.seconds(1))
        #expect(playback.all.map(\.outcome) == [.finished])
    }

    @Test("at silent a sound that honours the switch is silenced at once", arguments: Connection.allCases)
    func silent(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.flip(to: .silent)
        let tone = Self.tone(milliseconds: 200)
        let result = try await bench.run { try await $0.play(tone, category: .soloAmbient) }
        #expect(result.outcome == .silenced(by: .ringSilentSwitch) && result.startedAt == nil)
        #expect(bench.board.speaker.recordings.isEmpty)
    }

    @Test("a sound is stopped by its number, and by stopAll", arguments: Connection.allCases)
    func stop(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let results = Results<SoundResult>()
        let first = try bench.device.start(Self.tone(milliseconds: 500), category: .ambient) { results.append($0) }
        try bench.device.start(Self.tone(milliseconds: 500), category: .ambient) { results.append($0) }
        bench.advance(.milliseconds(100))
        bench.device.player.stop(first)
        bench.advance(.milliseconds(50))
        #expect(results.all.map(\.outcome) == [.stopped(.caller)])
        bench.device.stopAll()
        bench.advance(.milliseconds(50))
        #expect(results.all.map(\.outcome) == [.stopped(.caller), .stopped(.caller)])
        #expect(bench.board.speaker.playing.isEmpty)
    }

    @Test("a speaker that fails is the sound's error", arguments: Connection.allCases)
    func failure(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.board.speaker.fault = .gone(frame: 480)
        let tone = Self.tone(milliseconds: 200)
        let result = try await bench.run { try await $0.play(tone, category: .playback) }
        guard case .failed(let error) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(error.code == .disconnected)
    }

    // MARK: - System sounds, alerts, notifications, announcements

    @Test("a system sound that was registered plays, and its completion comes after it", arguments: Connection.allCases)
    func systemSound(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let id = try bench.device.sounds.register(Self.tone(milliseconds: 300))
        let result = try await bench.run { await $0.sounds.play(id) }
        #expect(result.outcome == .finished && result.elapsed == .milliseconds(300))
        try bench.device.sounds.dispose(id)
    }

    @Test("a predefined alert is heard and felt at ring, and felt at silent", arguments: Connection.allCases)
    func alertSound(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let ring = try await bench.run { await $0.sounds.playAlert(1007) }
        #expect(ring.outcome == .finished && ring.vibrated && ring.vibration == .finished)
        let turns = bench.board.motor.turns
        #expect(turns.compactMap(\.length) == [.milliseconds(400)])
        bench.flip(to: .silent)
        let silent = try await bench.run { await $0.sounds.playAlert(1007) }
        #expect(silent.outcome == .silenced(by: .ringSilentSwitch) && silent.vibration == .finished)
        #expect(bench.board.motor.turns.count == 2 && bench.board.speaker.recordings.count == 1)
    }

    @Test("an alert repeats until its limit, each round right after the one before", arguments: Connection.allCases)
    func alert(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let id = try bench.device.sounds.register(Self.tone(milliseconds: 300))
        let result = try await bench.run { await $0.alerts.alert(id, way: .sound, limit: .seconds(2)) }
        #expect(result.outcome == .stopped(.limited) && result.elapsed == .seconds(2) && result.sounded)
        let recordings = bench.board.speaker.recordings
        #expect(recordings.count == 7)
        let gaps = zip(recordings, recordings.dropFirst()).map {
            ($0.end.map { $0.nanoseconds }, $1.start.map { $0.nanoseconds })
        }
        #expect(gaps.allSatisfy { $0.0 == $0.1 })
    }

    @Test("an alert that is answered ends within a period", arguments: Connection.allCases)
    func answered(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let results = Results<AlertResult>()
        bench.device.alerts.start(1005) { results.append($0) }
        bench.advance(.milliseconds(500))
        #expect(bench.board.motor.isOn || !bench.board.motor.turns.isEmpty)
        #expect(!bench.board.speaker.playing.isEmpty)
        bench.device.alerts.stop()
        bench.advance(.milliseconds(20))
        #expect(results.all.map(\.outcome) == [.stopped(.caller)])
        #expect(!bench.board.motor.isOn && bench.board.speaker.playing.isEmpty)
    }

    @Test("a notification obeys the switch, a critical one does not", arguments: Connection.allCases)
    func notification(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.flip(to: .silent)
        let plain = try await bench.run { await $0.notifications.play(.standard, in: nil) }
        #expect(plain.outcome == .silenced(by: .ringSilentSwitch))
        let tone = Self.tone(milliseconds: 200)
        let critical = try await bench.run {
            await $0.player.playOutsideSessions(tone, as: .notification(volume: 0.5, isCritical: true))
        }
        #expect(critical.outcome == .finished)
        #expect(bench.board.speaker.recordings.map { $0.gains.first } == [0.5])
    }

    @Test("announcements are heard one after another", arguments: Connection.allCases)
    func announcements(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let results = Results<SoundResult>()
        for milliseconds in [200, 300] {
            try bench.device.announcements.add(Announcement(Self.tone(milliseconds: milliseconds))) {
                results.append($0)
            }
        }
        bench.advance(.seconds(2))
        #expect(results.all.map(\.outcome) == [.finished, .finished])
        let recordings = bench.board.speaker.recordings
        #expect(recordings.count == 2 && recordings[0].end.map { $0 <= recordings[1].start ?? $0 } == true)
    }

    @Test(
        "an announcement that another process's session interrupts is played whole afterwards, however short the interruption",
        arguments: Connection.allCases, [Duration.zero, .seconds(1)])
    func interruptedAnnouncement(_ connection: Connection, _ length: Duration) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let results = Results<SoundResult>()
        try bench.device.announcements.add(Announcement(Self.tone(milliseconds: 200))) { results.append($0) }
        bench.advance(.milliseconds(100))
        let session = other.sessions.make(name: "other", category: .playback)
        try await session.activate()
        if length > .zero { bench.advance(length) }
        #expect(bench.device.announcements.count == 1)
        try await session.deactivate()
        bench.advance(.seconds(60))
        #expect(results.all.map(\.outcome) == [.finished])
        #expect(bench.board.speaker.recordings.map(\.played) == [4_800, 9_600])
        if other !== bench.device { other.close() }
    }

    // The service refuses its session, and used to leave it at that: the announcement was never played.
    @Test(
        "an announcement that is added in the course of another process's call is played after the call",
        arguments: Connection.allCases)
    func announcementInCall(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        bench.set(.inputAvailable(true))
        let call = other.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        try await call.activate()
        let results = Results<SoundResult>()
        for _ in 1...2 {
            try bench.device.announcements.add(Announcement(Self.tone(milliseconds: 200))) { results.append($0) }
        }
        bench.advance(.seconds(1))
        #expect(bench.board.speaker.recordings.isEmpty && bench.device.announcements.count == 2 && call.isActive)
        try await call.deactivate()
        bench.advance(.seconds(1))
        #expect(results.all.map(\.outcome) == [.finished, .finished])
        if other !== bench.device { other.close() }
    }

    // The recordings of other processes used to be unknown over the service: the announcement ended as silenced.
    @Test(
        "an announcement that mixes waits for a recording, of its own process or another one, and is played whole afterwards",
        arguments: Connection.allCases, [(isOther: false, isFirst: true), (false, false), (true, true), (true, false)])
    func announcementBesideRecording(
        _ connection: Connection, _ recording: (isOther: Bool, isFirst: Bool)
    ) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        bench.set(.inputAvailable(true))
        let program = recording.isOther ? other : bench.device
        let recorder = program.sessions.make(name: "recorder", category: .record)
        if recording.isFirst { try await recorder.activate() }
        let results = Results<SoundResult>()
        let tone = Self.tone(milliseconds: 200)
        try bench.device.announcements.add(Announcement(tone, options: .mixWithOthers)) { results.append($0) }
        bench.advance(.milliseconds(100))
        if !recording.isFirst { try await recorder.activate() }
        bench.advance(.seconds(1))
        #expect(results.all.isEmpty && bench.device.announcements.count == 1)
        try await recorder.deactivate()
        bench.advance(.seconds(1))
        #expect(results.all.map(\.outcome) == [.finished])
        #expect(bench.board.speaker.recordings.last?.played == 9_600)
        if other !== bench.device { other.close() }
    }

    @Test("a sound is judged by the recordings of other processes, too", arguments: Connection.allCases)
    func decideBesideRecording(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        bench.set(.inputAvailable(true))
        let recorder = other.sessions.make(name: "recorder", category: .record)
        try await recorder.activate()
        bench.advance(.zero)
        #expect(bench.device.decide(.session(.playback)) == .silence(.sessionSilencesPlayback))
        if let service = bench.service { service.crash() } else { try await recorder.deactivate() }
        try await eventually("playback is heard") { bench.device.decide(.session(.playback)).isHeard }
        if other !== bench.device { other.close() }
    }

    @Test(
        "an announcement whose headphones are pulled out is played whole on the speaker", arguments: Connection.allCases
    )
    func announcementWithoutHeadphones(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.set(.headphoneInserted(true))
        let results = Results<SoundResult>()
        let tone = Self.tone(milliseconds: 200)
        try bench.device.announcements.add(Announcement(tone)) { results.append($0) }
        bench.advance(.milliseconds(100))
        bench.board.surroundings.set(.headphoneInserted(false))
        bench.advance(.seconds(1))
        #expect(results.all.map(\.outcome) == [.finished])
        #expect(bench.board.speaker.recordings.map(\.route) == [.headphone, .speaker])
    }

    // MARK: - Vibration

    @Test("a vibration turns the motor for exactly its times", arguments: Connection.allCases)
    func vibrate(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let pattern = try VibrationPattern(milliseconds: "100,50,200", strength: 0.5)
        let end = try await bench.run { await $0.vibrate(pattern) }
        #expect(end == .finished)
        let turns = bench.board.motor.turns
        #expect(turns.compactMap(\.length) == [.milliseconds(100), .milliseconds(200)])
        #expect(turns.map(\.strength) == [0.5, 0.5])
    }

    @Test("the motor is reported on and off", arguments: Connection.allCases)
    func vibrationReports(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let events = bench.device.events
        let pattern = try VibrationPattern(milliseconds: "100")
        _ = try await bench.run { await $0.vibrate(pattern) }
        var reports: [String] = []
        for await case .vibration(let report) in events {
            if case .on = report { reports.append("on") }
            guard case .off = report else { continue }
            reports.append("off")
            break
        }
        #expect(reports == ["on", "off"])
    }

    @Test("a vibration is stopped at once, and another replaces it", arguments: Connection.allCases)
    func stopVibration(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let vibrator = try #require(bench.device.vibrator)
        let ends = Results<SoundOutcome>()
        let long = try VibrationPattern(milliseconds: "5000")
        vibrator.start(long) { ends.append($0) }
        bench.advance(.milliseconds(100))
        let second = vibrator.start(long) { ends.append($0) }
        bench.advance(.milliseconds(100))
        #expect(ends.all == [.stopped(.replaced)] && bench.board.motor.isOn)
        vibrator.stop(second)
        bench.advance(.zero)
        #expect(ends.all == [.stopped(.replaced), .stopped(.caller)] && !bench.board.motor.isOn)
    }

    // MARK: - Sessions

    @Test(
        "a session that is activated interrupts another one, which resumes afterwards", arguments: Connection.allCases)
    func interrupt(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let music = bench.device.sessions.make(name: "music", category: .playback)
        let call = other.sessions.make(name: "call", category: .playback)
        try await music.activate()
        let results = Results<SoundResult>()
        music.start(Self.tone(milliseconds: 5_000)) { results.append($0) }
        bench.advance(.milliseconds(100))
        try await call.activate()
        bench.advance(.milliseconds(20))
        #expect(music.isInterrupted && call.isActive)
        #expect(results.all.map(\.outcome) == [.silenced(by: .interruption)])
        try await call.deactivate()
        bench.advance(.zero)
        #expect(music.isActive && !call.isActive)
        #expect(other === bench.device || bench.device.sessions.all.filter { !$0.isOwn }.count == 1)
        other.close()
    }

    @Test(
        "sessions of three programs that interrupt each other resume one after the other",
        arguments: Connection.allCases)
    func nestedInterruptions(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let others = [try await bench.otherProcess(), try await bench.otherProcess()]
        let music = bench.device.sessions.make(name: "music", category: .playback)
        let prompt = others[0].sessions.make(name: "prompt", category: .playback)
        let call = others[1].sessions.make(name: "call", category: .playback, priority: .call)
        for session in [music, prompt, call] {
            try await session.activate()
            bench.advance(.milliseconds(1))
        }
        #expect(music.isInterrupted && prompt.isInterrupted && call.isActive)
        try await call.deactivate()
        bench.advance(.milliseconds(1))
        #expect(music.isInterrupted && prompt.isActive)
        try await prompt.deactivate()
        bench.advance(.milliseconds(1))
        #expect(music.isActive)
        for other in others where other !== bench.device { other.close() }
    }

    // The service kept them active, and other programs waited until this one had ended.
    @Test("sessions that an answered interruption from outside leaves inactive interrupt no other program's")
    func answeredInterruption() async throws {
        let bench = try await DeviceBench(.connected)
        let other = try await bench.otherProcess()
        let music = other.sessions.make(name: "music", category: .playback)
        let prompt = bench.device.sessions.make(name: "prompt", category: .playback)
        try await music.activate()
        bench.advance(.milliseconds(1))
        try await prompt.activate()
        bench.advance(.zero)
        #expect(music.isInterrupted)
        let call = bench.device.sessions.interruptionBegan()
        bench.advance(.milliseconds(100))
        bench.device.sessions.interruptionAnswered(call)
        bench.advance(.zero)
        #expect(!prompt.isActive && music.isActive)
        other.close()
    }

    @Test("a session that may not resume, and that another program's interrupted meanwhile, is inactive after both")
    func endedInBothPlaces() async throws {
        let bench = try await DeviceBench(.connected)
        let other = try await bench.otherProcess()
        let prompt = bench.device.sessions.make(name: "prompt", category: .playback)
        let call = other.sessions.make(name: "call", category: .playback, priority: .call)
        for session in [prompt, call] {
            try await session.activate()
            bench.advance(.milliseconds(1))
        }
        let alarm = bench.device.sessions.interruptionBegan()
        bench.advance(.milliseconds(100))
        bench.device.sessions.interruptionEnded(alarm, shouldResume: false)
        bench.advance(.milliseconds(100))
        try await call.deactivate()
        bench.advance(.milliseconds(100))
        #expect(prompt.state?.phase == .inactive)
        #expect(bench.service?.device.sessions.all.map(\.phase) == [.inactive, .inactive])
        other.close()
    }

    @Test("a session that ducks lowers another one, and lets it come back", arguments: Connection.allCases)
    func duck(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let music = bench.device.sessions.make(name: "music", category: .playback)
        let prompt = try other.sessions.make(name: "prompt", category: .playback, options: .duckOthers)
        try await music.activate()
        music.start(Self.tone(milliseconds: 5_000))
        bench.advance(.milliseconds(100))
        try await prompt.activate()
        bench.advance(.milliseconds(50))
        #expect(music.state?.isDucked == true && music.isActive)
        #expect(bench.board.speaker.recordings.first?.gains.last.map { abs($0 - 0.1995) < 0.001 } == true)
        try await prompt.deactivate()
        bench.advance(.milliseconds(50))
        #expect(music.state?.isDucked == false)
        #expect(bench.board.speaker.recordings.first?.gains.last == 1)
    }

    @Test(
        "an announcement is heard in full over what it ducks, as deep and as fast as the user chose, in every process",
        arguments: Connection.allCases)
    func announcementOverDucked(_ connection: Connection) async throws {
        let bench = try await DeviceBench(
            connection,
            preferences: UserPreferences(
                duckingDepth: 20, duckingDown: .milliseconds(100), duckingUp: .milliseconds(400)))
        let other = try await bench.otherProcess()
        let music = bench.device.sessions.make(name: "music", category: .playback)
        try await music.activate()
        music.start(Self.tone(milliseconds: 5_000))
        bench.advance(.milliseconds(500))
        try other.announcements.add(Announcement(Self.tone(milliseconds: 1_000), options: .duckOthers))
        bench.advance(.milliseconds(900))
        bench.advance(.milliseconds(2_000))
        let recordings = bench.board.speaker.recordings
        #expect(recordings.map(\.gains) == [[1, 0.1, 1], [1]])
        let heard = (0..<240_000).map { recordings.first?.gain(at: $0) ?? 0 }
        // Not where the service is killed meanwhile.
        guard recordings.count == 2, let fallen = heard.firstIndex(where: { $0 < 1 }),
            let last = heard.lastIndex(where: { $0 < 1 }), fallen > 0
        else { return }
        let (first, back) = (fallen - 1, last + 1)
        for frame in first...back {
            let gain: Float =
                frame < first + 4_800
                ? 1 - 0.9 * Float(frame - first) / 4_800
                : frame < back - 19_200 ? 0.1 : 1 - 0.9 * Float(back - frame) / 19_200
            if abs(heard[frame] - gain) > 0.000_01 {
                Issue.record("frame \(frame - first): \(heard[frame]), not \(gain)")
                return
            }
        }
    }

    @Test("an alert is felt during a call of another process, and heard after it", arguments: Connection.allCases)
    func alertDuringCall(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        bench.set(.inputAvailable(true))
        let call = other.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        try await call.activate()
        bench.advance(.zero)
        #expect(bench.device.state.sessions.contains(.callByPriority))
        bench.device.alerts.start(1005, limit: nil)
        bench.advance(.seconds(3))
        #expect(bench.board.speaker.recordingCount == 0 && bench.board.motor.turnCount > 0)
        try await call.deactivate()
        bench.advance(.seconds(3))
        #expect(!bench.device.state.sessions.contains(.call))
        #expect(bench.board.speaker.recordingCount > 0)
        bench.device.alerts.stop()
        bench.advance(.zero)
    }

    @Test("a session of lower priority is refused beside a call", arguments: Connection.allCases)
    func refuse(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let call = other.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        bench.set(.inputAvailable(true))
        try await call.activate()
        let music = bench.device.sessions.make(name: "music", category: .playback)
        let error = await #expect(throws: SessionError.self) { try await music.activate() }
        #expect(error?.code == .notActive)
        try await call.deactivate()
        try await music.activate()
        bench.advance(.zero)
        #expect(music.isActive)
    }

    @Test(
        "a sound in a session that is not active fails, and one in a session in the background is silent",
        arguments: Connection.allCases)
    func sessionSounds(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let session = bench.device.sessions.make(name: "game", category: .ambient)
        let tone = Self.tone(milliseconds: 100)
        let inactive = try await bench.run { _ in await session.play(tone) }
        guard case .failed(let error) = inactive.outcome else {
            Issue.record("\(inactive.outcome)")
            return
        }
        #expect(error.code == .sessionNotActive)
        try await session.activate()
        let heard = try await bench.run { _ in await session.play(tone) }
        #expect(heard.outcome == .finished)
        try session.setInBackground(true)
        bench.advance(.zero)
        let silent = try await bench.run { _ in await session.play(tone) }
        guard case .silenced = silent.outcome else {
            Issue.record("\(silent.outcome)")
            return
        }
        #expect(bench.board.speaker.recordings.count == 1)
    }

    @Test("a session that the rules refuse interrupts nobody", arguments: Connection.allCases)
    func refusedHere(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let music = other.sessions.make(name: "music", category: .playback)
        try await music.activate()
        let results = Results<SoundResult>()
        music.start(Self.tone(milliseconds: 500)) { results.append($0) }
        bench.advance(.milliseconds(100))
        let codec = bench.device.sessions.make(name: "codec")
        try codec.setUsesHardwareCodec(true)
        let error = await #expect(throws: SessionError.self) { try await codec.activate() }
        #expect(error?.code == .noCategorySet)
        bench.advance(.seconds(1))
        #expect(results.all.map(\.outcome) == [.finished] && music.isActive)
        other.close()
    }

    @Test(
        "once a session is active its properties report what the hardware grants", arguments: Connection.allCases)
    func figures(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        bench.board.speaker.limits.delay = .milliseconds(5)
        bench.set(.inputAvailable(true))
        let session = bench.device.sessions.make(name: "call", category: .playAndRecord)
        try await session.activate()
        #expect(session.sampleRate == 48_000 && session.outputChannels == 2 && session.inputChannels == 1)
        #expect(session.ioBufferDuration == Double(Float(0.01)))
        #expect(session.outputLatency == Double(Float(0.015)) && session.inputLatency == Double(Float(0.01)))
        try await session.deactivate()
        bench.board.speaker.limits = SimulatedSoundLimits(
            sampleRates: [16_000], periods: .milliseconds(20)...(.milliseconds(20)), channels: 1)
        try await session.activate()
        #expect(session.sampleRate == 16_000 && session.outputChannels == 1 && session.ioBufferDuration > 0.019)
        bench.set(.inputAvailable(false))
        #expect(session.inputChannels == 0 && session.inputLatency == 0)
    }

    @Test("a session knows whether somebody else plays", arguments: Connection.allCases)
    func otherAudio(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let other = try await bench.otherProcess()
        let music = try other.sessions.make(name: "music", category: .playback, options: .mixWithOthers)
        let game = bench.device.sessions.make(name: "game", category: .ambient)
        try await music.activate()
        try await game.activate()
        bench.advance(.zero)
        #expect(!game.isOtherAudioPlaying && !music.isOtherAudioPlaying)
        music.start(Self.tone(milliseconds: 500))
        bench.advance(.milliseconds(100))
        let late = bench.device.sessions.make(name: "late", category: .ambient)
        bench.advance(.zero)
        #expect(game.isOtherAudioPlaying && late.isOtherAudioPlaying && !music.isOtherAudioPlaying)
        bench.advance(.seconds(1))
        #expect(!game.isOtherAudioPlaying && !late.isOtherAudioPlaying)
        try other.start(Self.tone(milliseconds: 500), category: .ambient)
        bench.advance(.milliseconds(100))
        #expect(game.isOtherAudioPlaying)
        bench.advance(.seconds(1))
        #expect(!game.isOtherAudioPlaying)
        other.close()
    }

    // MARK: - The mute detector

    @Test(
        "the mute detector: audible at ring, muted at silent, unknown where the speaker fails",
        arguments: Connection.allCases)
    func detect(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let ring = try await bench.run { await $0.muteDetector.measure() }
        #expect(ring.way == (connection == .connected ? .service : .device))
        #expect(ring.verdict == .audible && ring.switchPosition == .ring && ring.elapsed == .milliseconds(100))
        bench.flip(to: .silent)
        let silent = try await bench.run { await $0.muteDetector.measure() }
        #expect(silent.verdict == .muted && silent.switchPosition == .silent)
        bench.flip(to: .ring)
        bench.board.speaker.fault = .gone(frame: 480)
        let broken = try await bench.run { await $0.muteDetector.measure() }
        #expect(broken.verdict == .unknown && broken.cause != nil)
    }
}
