import RingerTestKit
import SeededGenerator
import Synchronization
import Testing

@testable import RingerCore

@Suite("Announcements")
struct AnnouncementTests {
    /// A queue on a simulated board, in virtual time. Times are milliseconds since its start.
    private struct Bench {
        let bench: PlayerBench
        let announcements: Announcements
        let results = Record<String>()

        init(
            position: SwitchPosition = .ring, routes: RouteBoard = .phone,
            service: ((VirtualClock) -> any DeviceService)? = nil
        ) throws {
            bench = try PlayerBench(position: position, routes: routes, service: service)
            announcements = Announcements(bench.sessions)
        }

        var clock: VirtualClock { bench.clock }

        static func sound(_ milliseconds: Int) -> PCMBuffer {
            .silence(duration: .milliseconds(milliseconds), sampleRate: 8_000)
        }

        /// Adds an announcement of so many milliseconds; its outcome and the time go to `results`.
        @discardableResult
        func add(
            _ name: String, _ milliseconds: Int, category: AudioCategory = .playback, options: CategoryOptions = [],
            priority: Int = 0, expiry: Duration? = nil
        ) throws -> Announcements.ID {
            let announcement = Announcement(
                Self.sound(milliseconds), category: category, options: options, priority: priority, expiry: expiry)
            return try announcements.add(announcement) { [results, bench] result in
                results.append(
                    "\(name) \(Self.text(result.outcome)) \((result.endedAt - bench.start) / .milliseconds(1))")
            }
        }

        private static func text(_ outcome: SoundOutcome) -> String {
            switch outcome {
            case .finished: "finished"
            case .silenced(let reason): "silenced by \(reason.rawValue)"
            case .stopped(let cause): "stopped by \(cause.rawValue)"
            case .failed: "failed"
            }
        }

        /// What was heard: "0-100 100-300".
        var heard: String {
            bench.board.speaker.recordings.map { recording in
                func time(_ time: MonotonicTime?) -> String {
                    time.map { "\(Int(($0 - bench.start) / .milliseconds(1)))" } ?? ""
                }
                return "\(time(recording.start))-\(time(recording.end))"
            }.joined(separator: " ")
        }
    }

    @Test("announcements are played one after another, in the order in which they were added")
    func order() throws {
        let bench = try Bench()
        try bench.add("a", 100)
        try bench.add("b", 200)
        try bench.add("c", 300)
        bench.clock.advance(by: .seconds(2))
        #expect(bench.heard == "0-100 100-300 300-600")
        #expect(bench.results.all == ["a finished 100.0", "b finished 300.0", "c finished 600.0"])
        #expect(bench.announcements.count == 0 && bench.bench.sessions.all.allSatisfy { !$0.isActive })
        #expect(bench.clock.pendingTimers == 0)
    }

    @Test("a more important one goes before those that wait, and does not cut off the one that plays")
    func priority() throws {
        let bench = try Bench()
        try bench.add("a", 100)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(50))
        try bench.add("urgent", 100, priority: 1)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["a finished 100.0", "urgent finished 200.0", "b finished 300.0"])
    }

    @Test("clips are joined without a gap")
    func joined() throws {
        let announcement = try Announcement(joining: [Bench.sound(100), Bench.sound(50), Bench.sound(25)])
        #expect(announcement.sound.frames == 1_400)
        let bench = try Bench()
        try bench.announcements.add(announcement)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-175")
    }

    @Test("clips of different rates or channels, and none at all, are refused")
    func refusedClips() throws {
        let stereo = PCMBuffer(sampleRate: 8_000, channels: 2, samples: [0, 0])
        for clips in [
            [], [Bench.sound(10), .silence(duration: .milliseconds(10), sampleRate: 16_000)],
            [Bench.sound(10), stereo],
        ] {
            let error = #expect(throws: RingerError.self) { _ = try Announcement(joining: clips) }
            #expect(error?.code == .invalid)
        }
    }

    @Test("options that the category does not allow are refused, and nothing is queued")
    func refusedOptions() throws {
        let bench = try Bench()
        let error = #expect(throws: SessionError.self) {
            try bench.add("a", 100, category: .soloAmbient, options: .duckOthers)
        }
        #expect(error?.code == .incompatibleCategory)
        #expect(bench.announcements.count == 0)
    }

    @Test("the switch silences an announcement whose category honours it, and the next one follows")
    func silenced() throws {
        let bench = try Bench(position: .silent)
        try bench.add("a", 100, category: .soloAmbient)
        try bench.add("b", 100)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["a silenced by ringSilentSwitch 0.0", "b finished 100.0"])
    }

    // Nobody reads the properties of its session: the hardware was opened and closed for them, before each first one.
    @Test("an announcement does not wait for what the hardware grants, and does not ask it, in any category")
    func asksNothing() throws {
        let bench = try Bench()
        bench.bench.board.speaker.formatAnswers.areLate = true
        try bench.add("a", 100)
        try bench.add("b", 100, category: .soloAmbient)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["a finished 100.0", "b finished 200.0"])
        #expect(bench.bench.board.speaker.formatAnswers.waiting == 0)
    }

    @Test(
        "while the service is being asked, a flip, a removal, a pause or a call takes effect",
        arguments: [
            ("flip", "a silenced by ringSilentSwitch 50.0, b finished 150.0", "50-150"),
            ("remove", "a stopped by caller 20.0, b finished 150.0", "50-150"),
            ("pause", "a finished 350.0, b finished 450.0", "250-350 350-450"),
            ("short pause", "a finished 150.0, b finished 250.0", "50-150 150-250"),
            ("call", "a finished 350.0, b finished 450.0", "250-350 350-450"),
            ("short call", "a finished 150.0, b finished 250.0", "50-150 150-250"),
            ("clear", "b stopped by caller 20.0, a stopped by caller 20.0", ""),
        ])
    func whileActivating(what: String, results: String, heard: String) throws {
        let bench = try Bench { SlowService($0, .milliseconds(50)) }
        let first = try bench.add("a", 100, category: .soloAmbient)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(20))
        let after: Duration = what.hasPrefix("short") ? .milliseconds(10) : .milliseconds(180)
        switch what {
        case "flip": bench.bench.board.ringSilent.position = .silent
        case "remove": bench.announcements.remove(first)
        case "clear": bench.announcements.clear()
        case "pause", "short pause":
            bench.announcements.pause()
            bench.clock.advance(by: after)
            bench.announcements.resume()
        default:
            let call = bench.bench.sessions.interruptionBegan()
            bench.clock.advance(by: after)
            bench.bench.sessions.interruptionEnded(call)
        }
        bench.clock.advance(by: .seconds(2))
        #expect(bench.results.all.joined(separator: ", ") == results)
        #expect(bench.heard == heard)
        #expect(bench.announcements.count == 0 && bench.bench.sessions.all.allSatisfy { !$0.isActive })
    }

    // The category that it sets itself was taken for a change that may let it be admitted: it asked once more.
    @Test("an announcement that is refused asks once, whatever its category, and again when sessions change")
    func refusedOnce() throws {
        let service = Record<String>()
        let bench = try Bench { SlowService($0, .milliseconds(50), refusals: 1) { service.append($0) } }
        try bench.add("a", 100, category: .soloAmbient)
        bench.clock.advance(by: .seconds(1))
        #expect(service.all == ["activate"] && bench.announcements.count == 1)
        let other = bench.bench.sessions.make()
        bench.clock.advance(by: .seconds(1))
        #expect(service.all.count == 2 && bench.results.all == ["a finished 1150.0"])
        withExtendedLifetime(other) {}
    }

    @Test("a call interrupts the queue, and the announcement that it cut off is played whole after it")
    func interrupted() throws {
        let bench = try Bench()
        try bench.add("a", 200)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(150))
        let call = bench.bench.sessions.interruptionBegan()
        bench.clock.advance(by: .milliseconds(850))
        #expect(bench.heard == "0-150" && bench.announcements.playing == nil)
        try bench.add("c", 100)
        bench.clock.advance(by: .seconds(1))
        bench.bench.sessions.interruptionEnded(call)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-150 2000-2200 2200-2300 2300-2400")
        #expect(bench.results.all == ["a finished 2200.0", "b finished 2300.0", "c finished 2400.0"])
    }

    @Test("an announcement waits until a call's session, which matters more, is deactivated")
    func refused() throws {
        let bench = try Bench()
        let call = bench.bench.sessions.make(category: .playAndRecord, priority: .call)
        call.activate { #expect($0 == nil) }
        bench.clock.advance(by: .seconds(1))
        try bench.add("a", 100)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "" && bench.announcements.count == 1)
        call.deactivate { _ in }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["a finished 2100.0"])
    }

    @Test("a call that is answered keeps the queue waiting for no longer than its session lasts")
    func answered() throws {
        let bench = try Bench()
        try bench.add("a", 200)
        bench.clock.advance(by: .milliseconds(100))
        let ringing = bench.bench.sessions.interruptionBegan()
        let call = bench.bench.sessions.make(category: .playAndRecord, priority: .call)
        bench.bench.sessions.interruptionAnswered(ringing)
        call.activate { #expect($0 == nil) }
        bench.clock.advance(by: .seconds(5))
        call.deactivate { _ in }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.bench.board.speaker.recordings.last?.played == 1_600)
        #expect(bench.results.all.count == 1 && bench.announcements.count == 0)
    }

    /// Interruptions that can be over before the sound that they stop has ended.
    enum Interruption: CaseIterable {
        case ended, endedWithoutResuming, answered, session, sessionWithoutNotice, removedSession, call

        /// The interruption, from its beginning to its end.
        func pass(_ sessions: AudioSessions) {
            switch self {
            case .ended: sessions.interruptionEnded(sessions.interruptionBegan())
            case .endedWithoutResuming:
                sessions.interruptionEnded(sessions.interruptionBegan(), shouldResume: false)
            case .answered: sessions.interruptionAnswered(sessions.interruptionBegan())
            case .session, .sessionWithoutNotice, .call:
                let session = sessions.make(category: .playback, priority: self == .call ? .call : .ordinary)
                session.activate { #expect($0 == nil) }
                session.deactivate(notifyOthers: self != .sessionWithoutNotice) { #expect($0 == nil) }
            case .removedSession:
                sessions.make(category: .playback).activate { #expect($0 == nil) }
            }
        }
    }

    @Test(
        "an interruption that is over before the sound has ended delays the queue by nothing else",
        arguments: Interruption.allCases)
    func shortInterruption(_ interruption: Interruption) throws {
        let bench = try Bench()
        try bench.add("a", 100)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(50))
        interruption.pass(bench.bench.sessions)
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.heard == "0-50 50-150 150-250")
        #expect(bench.results.all == ["a finished 150.0", "b finished 250.0"])
    }

    @Test(
        "an interruption that is over before the first frame delays the queue by nothing else",
        arguments: Interruption.allCases)
    func interruptionBeforeFirstFrame(_ interruption: Interruption) throws {
        let bench = try Bench()
        try bench.add("a", 100)
        interruption.pass(bench.bench.sessions)
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.results.all == ["a finished 100.0"])
    }

    @Test(
        "an interruption that is over between the session's activation and the sound delays the queue by nothing else",
        arguments: Interruption.allCases)
    func interruptionBeforeSound(_ interruption: Interruption) throws {
        let bench = try Bench()
        let sessions = bench.bench.sessions
        let isDone = Atomic(false)
        sessions.observeSettling { [weak sessions] in
            guard let sessions, sessions.all.contains(where: { $0.name == "announcements" && $0.isActive }) else {
                return
            }
            if !isDone.exchange(true, ordering: .relaxed) { interruption.pass(sessions) }
        }
        try bench.add("a", 100)
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.results.all == ["a finished 100.0"])
    }

    @Test("an announcement that is removed while an interruption stops its sound ends as removed")
    func removedWhileInterrupted() throws {
        let bench = try Bench()
        try bench.add("a", 100)
        bench.clock.advance(by: .milliseconds(50))
        let call = bench.bench.sessions.interruptionBegan()
        bench.announcements.skip()
        bench.clock.advance(by: .seconds(1))
        bench.bench.sessions.interruptionEnded(call)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-50" && bench.results.all == ["a stopped by skipped 50.0"])
    }

    @Test(
        "a recording that silences an announcement delays it: it is played whole afterwards",
        arguments: [CategoryOptions.mixWithOthers, .duckOthers], [AudioCategory.record, .audioProcessing])
    func recording(_ options: CategoryOptions, _ category: AudioCategory) throws {
        let bench = try Bench()
        let recorder = bench.bench.sessions.make(category: category)
        try bench.add("a", 100, options: options)
        try bench.add("b", 100, options: options)
        bench.clock.advance(by: .milliseconds(50))
        recorder.activate { #expect($0 == nil) }
        bench.clock.advance(by: .milliseconds(950))
        #expect(bench.heard == "0-50" && bench.announcements.playing == nil)
        recorder.deactivate { #expect($0 == nil) }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-50 1000-1100 1100-1200")
        #expect(bench.results.all == ["a finished 1100.0", "b finished 1200.0"])
        #expect(bench.bench.sessions.all.allSatisfy { !$0.isActive })
    }

    @Test(
        "an announcement of a category that records and does not play is silenced or fails, and waits for nobody",
        arguments: [AudioCategory.record, .audioProcessing], [false, true])
    func recordingItself(_ category: AudioCategory, _ isBesideRecording: Bool) throws {
        let bench = try Bench()
        let recorder = bench.bench.sessions.make(category: .record)
        if isBesideRecording { recorder.activate { #expect($0 == nil) } }
        try bench.add("a", 100, category: category)
        try bench.add("b", 100)
        bench.clock.advance(by: .seconds(1))
        let outcome = category == .record ? "silenced by categoryDoesNotPlay" : "failed"
        #expect(bench.results.all == ["a \(outcome) 0.0", "b finished 100.0"])
        #expect(bench.bench.sessions.all.allSatisfy { $0.name != "announcements" || !$0.isActive })
    }

    @Test("an announcement that ends a recording need not wait behind one of lower priority that waits for it")
    func insertedWhileRecording() throws {
        let bench = try Bench()
        let recorder = bench.bench.sessions.make(category: .record)
        recorder.activate { #expect($0 == nil) }
        try bench.add("a", 100, options: .mixWithOthers)
        bench.clock.advance(by: .milliseconds(50))
        try bench.add("b", 100, priority: 1)
        bench.clock.advance(by: .milliseconds(100))
        #expect(bench.results.all == ["b finished 150.0"])
    }

    // A service takes its time to refuse.
    @Test("an announcement does not wait for what was refused to one that was removed, or before a pause")
    func refusedTooLate() throws {
        let start = MonotonicTime(nanoseconds: 0)
        let refusal = SessionError(.notActive, "activate", session: SessionID(rawValue: 1))
        func item(_ id: UInt64, _ category: AudioCategory) -> AnnouncementMachine.Item {
            AnnouncementMachine.Item(id: id, category: category, options: [], priority: 0, frames: 1, addedAt: start)
        }
        var machine = AnnouncementMachine()
        #expect(machine.handle(.add(item(1, .playback))) == [.activate(.playback, [])])
        _ = machine.handle(.add(item(2, .ambient)))
        _ = machine.handle(.remove(1, .caller, now: start))
        #expect(machine.handle(.activated(refusal, now: start, asleep: .zero)) == [.activate(.ambient, [])])
        _ = machine.handle(.pause)
        #expect(machine.handle(.activated(refusal, now: start, asleep: .zero)) == [.deactivate])
        #expect(machine.handle(.resume) == [.activate(.ambient, [])])
    }

    @Test("a recording that is over before the sound has ended delays the queue by nothing else")
    func shortRecording() throws {
        let bench = try Bench()
        let recorder = bench.bench.sessions.make(category: .record)
        try bench.add("a", 100, options: .mixWithOthers)
        bench.clock.advance(by: .milliseconds(50))
        recorder.activate { #expect($0 == nil) }
        recorder.deactivate { #expect($0 == nil) }
        bench.clock.advance(by: .seconds(3600))
        #expect(bench.heard == "0-50 50-150" && bench.results.all == ["a finished 150.0"])
    }

    @Test("an announcement that mixes waits for the end of a recording, and expires meanwhile")
    func addedWhileRecording() throws {
        let bench = try Bench()
        let recorder = bench.bench.sessions.make(category: .record)
        recorder.activate { #expect($0 == nil) }
        try bench.add("a", 100, options: .mixWithOthers, expiry: .milliseconds(500))
        try bench.add("b", 100, options: .mixWithOthers)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "" && bench.results.all == ["a stopped by expired 500.0"])
        recorder.deactivate { #expect($0 == nil) }
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all.last == "b finished 1100.0")
    }

    @Test("an announcement that sessions outside of this device silence waits for them")
    func outsideRecording() throws {
        let bench = try Bench()
        try bench.add("a", 100)
        bench.clock.advance(by: .milliseconds(50))
        bench.bench.publisher.sessions(are: .silencesPlayback)
        bench.clock.advance(by: .milliseconds(950))
        #expect(bench.heard == "0-50" && bench.results.all.isEmpty)
        bench.bench.publisher.sessions(are: [])
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-50 1000-1100" && bench.results.all == ["a finished 1100.0"])
    }

    @Test(
        "an announcement whose headphones are pulled out is played whole on the speaker, where it may be heard there",
        arguments: [
            (.ring, .phone, "0-50 50-150", "a finished 150.0"),
            (.silent, .phone, "0-50", "a silenced by ringSilentSwitch 50.0"),
            (.ring, try RouteBoard([RouteBoard.Entry(.headphone, pcm: "headphone")]), "0-50", "a failed 50.0"),
        ] as [(SwitchPosition, RouteBoard, String, String)])
    func headphonesPulledOut(position: SwitchPosition, routes: RouteBoard, heard: String, result: String) throws {
        let bench = try Bench(position: position, routes: routes)
        bench.bench.board.surroundings.set(.headphoneInserted(true))
        try bench.add("a", 100, options: .honoursRingSilentSwitch)
        bench.clock.advance(by: .milliseconds(50))
        bench.bench.board.surroundings.set(.headphoneInserted(false))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == heard && bench.results.all == [result])
        let played = bench.bench.board.speaker.recordings.filter { $0.played > 0 }.map(\.route)
        #expect(played == (heard.hasSuffix("150") ? [.headphone, .speaker] : [.headphone]))
    }

    @Test("a clip without frames is a word that is missing")
    func emptyClip() throws {
        let clips = [PCMBuffer.silence(duration: .milliseconds(10)), PCMBuffer.silence(duration: .zero)]
        #expect(try Announcement(joining: clips).sound.shortfall?.reason == "a clip has no frames")
    }

    @Test("music continues when the queue is empty again")
    func musicResumes() throws {
        let bench = try Bench()
        let music = bench.bench.sessions.make(category: .playback)
        music.activate { #expect($0 == nil) }
        try bench.add("a", 100)
        bench.clock.advance(by: .milliseconds(50))
        #expect(music.isInterrupted)
        bench.clock.advance(by: .seconds(1))
        #expect(music.isActive)
    }

    @Test(
        "pause stops the announcement, and resume plays it again from its beginning, once, at once or later",
        arguments: [(0, "0-100 100-300 300-400"), (900, "0-100 1000-1200 1200-1300")] as [(Int64, String)])
    func pause(milliseconds: Int64, heard: String) throws {
        let bench = try Bench()
        try bench.add("a", 200)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(100))
        bench.announcements.pause()
        if milliseconds > 0 {
            bench.clock.advance(by: .milliseconds(milliseconds))
            #expect(bench.heard == "0-100" && bench.announcements.isPaused && bench.results.all.isEmpty)
        }
        bench.announcements.resume()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == heard && bench.results.all.count == 2)
    }

    @Test("skip ends the one that plays, and the next one follows; clear ends all of them", arguments: [false, true])
    func skip(isAll: Bool) throws {
        let bench = try Bench()
        try bench.add("a", 200)
        try bench.add("b", 100)
        bench.clock.advance(by: .milliseconds(50))
        if isAll { bench.announcements.clear() } else { bench.announcements.skip() }
        bench.clock.advance(by: .seconds(1))
        let ends =
            isAll
            ? ["a stopped by caller 50.0", "b stopped by caller 50.0"]
            : ["a stopped by skipped 50.0", "b finished 150.0"]
        #expect(bench.results.all.sorted() == ends && bench.announcements.count == 0)
        #expect(bench.heard == (isAll ? "0-50" : "0-50 50-150"))
    }

    @Test("an announcement that waited for too long expires, at that time; one that was begun does not")
    func expiry() throws {
        let bench = try Bench()
        try bench.add("a", 1000, expiry: .milliseconds(500))
        try bench.add("b", 100, expiry: .milliseconds(700))
        try bench.add("c", 100)
        bench.clock.advance(by: .seconds(3))
        #expect(bench.results.all == ["b stopped by expired 700.0", "a finished 1000.0", "c finished 1100.0"])
        #expect(bench.clock.pendingTimers == 0)
    }

    // Its session was active: it counted as begun.
    @Test("an announcement that waits for a busy speaker expires; one that began there and is played again does not")
    func expiresBeforeItBegins() throws {
        let bench = try Bench()
        bench.bench.board.speaker.busyPatience = .seconds(3600)
        try bench.add("a", 1000, expiry: .milliseconds(500))
        bench.clock.advance(by: .milliseconds(100))
        bench.announcements.pause()
        bench.clock.advance(by: .milliseconds(500))
        bench.bench.board.speaker.fault = .busy
        bench.announcements.resume()
        try bench.add("b", 100, expiry: .seconds(60))
        bench.clock.advance(by: .seconds(40))
        bench.announcements.skip()
        try bench.add("c", 100)
        bench.clock.advance(by: .seconds(100))
        bench.bench.board.speaker.fault = nil
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all.prefix(2) == ["a stopped by skipped 40600.0", "b stopped by expired 60600.0"])
        #expect(bench.results.all.count == 3 && bench.clock.pendingTimers == 0)
    }

    @Test("the last one is played once more, before those that wait")
    func repeatLast() throws {
        let bench = try Bench()
        #expect(bench.announcements.repeatLast() == nil)
        try bench.add("a", 100)
        bench.clock.advance(by: .milliseconds(200))
        try bench.add("b", 100)
        try bench.add("c", 50)
        bench.clock.advance(by: .milliseconds(10))
        bench.announcements.repeatLast()
        bench.clock.advance(by: .seconds(1))
        #expect(bench.heard == "0-100 200-300 300-400 400-450")
    }

    @Test("a sound that fails is reported, and the next one follows")
    func failure() throws {
        let bench = try Bench()
        bench.bench.board.speaker.fault = .missing
        try bench.add("a", 100)
        bench.clock.advance(by: .milliseconds(10))
        bench.bench.board.speaker.fault = nil
        try bench.add("b", 100)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all.count == 2 && bench.results.all[1] == "b finished 110.0")
    }

    @Test("a system sound beside an announcement takes nothing from it")
    func systemSound() throws {
        let bench = try Bench()
        let sounds = SystemSoundServices(player: bench.bench.player, vibrator: nil)
        let id = try sounds.register(Bench.sound(50))
        try bench.add("a", 200)
        bench.clock.advance(by: .milliseconds(100))
        sounds.start(id)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["a finished 200.0"])
    }

    @Test("cancelling the task removes its announcement")
    func cancelled() async throws {
        let bench = try Bench()
        try bench.add("a", 200)
        let task = Task { [announcements = bench.announcements] in
            try await announcements.announce(Announcement(Bench.sound(100)))
        }
        while bench.announcements.count < 2 { await Task.yield() }
        task.cancel()
        #expect(try await task.value.outcome == .stopped(.caller))
        #expect(bench.announcements.count == 1)
    }

    @Test("a completion that blocks delays no announcement")
    func blockingCompletion() throws {
        let bench = try Bench()
        try bench.announcements.add(Announcement(Bench.sound(100))) { [clock = bench.clock] _ in
            clock.advance(by: .seconds(4))
        }
        try bench.add("b", 100)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.heard == "0-100 100-200")
    }

    @Test("two announcements never overlap, whatever is done to the queue", arguments: 0..<20)
    func neverOverlap(seed: UInt64) throws {
        let bench = try Bench()
        var random = SeededGenerator(seed: seed)
        var ringing: [OutsideInterruption] = []
        for number in 0..<200 {
            switch random.next() % 9 {
            case 0, 1, 2: try bench.add("\(number)", 20 + Int(random.next() % 200), priority: Int(random.next() % 3))
            case 3: bench.announcements.pause()
            case 4: bench.announcements.resume()
            case 5: bench.announcements.skip()
            case 6: ringing.append(bench.bench.sessions.interruptionBegan())
            case 7: if let call = ringing.popLast() { bench.bench.sessions.interruptionEnded(call) }
            default: bench.clock.advance(by: .milliseconds(Int64(random.next() % 150)))
            }
        }
        for call in ringing { bench.bench.sessions.interruptionEnded(call) }
        bench.announcements.resume()
        bench.clock.advance(by: .seconds(100))
        #expect(bench.announcements.count == 0)
        var end = bench.bench.start
        for recording in bench.bench.board.speaker.recordings {
            guard let start = recording.start, let over = recording.end else { continue }
            #expect(start >= end)
            end = over
        }
    }

    // A flip ended a thousand announcements in one transition, for which a flip back and every stop waited.
    @Test("announcements that are silenced at once end one in a transition")
    func silencedQueue() {
        var machine = AnnouncementMachine()
        let now = MonotonicTime(nanoseconds: 0)
        for id in 1...3 as ClosedRange<UInt64> {
            let item = AnnouncementMachine.Item(
                id: id, category: .playback, options: [], priority: 0, frames: 800, addedAt: now)
            _ = machine.handle(.add(item))
        }
        let silenced = SoundResult(
            outcome: .silenced(by: .ringSilentSwitch), requestedAt: now, endedAt: now,
            position: StreamPosition(played: 0, total: 800))
        for id in 1...3 as ClosedRange<UInt64> {
            #expect(machine.handle(.activated(nil, now: now, asleep: .zero)) == [.play(id)])
            let isLast = id == 3
            #expect(
                machine.handle(.ended(id, silenced, now: now))
                    == [.complete(id, silenced), isLast ? .deactivate : .proceedLater])
            #expect(machine.handle(.proceed) == (isLast ? [] : [.activate(.playback, [])]))
        }
    }

    // The session was activated for the second one, which interrupted others for nothing.
    @Test("nothing is activated for an announcement that is removed or expires with the one before it")
    func removedTogether() {
        let now = MonotonicTime(nanoseconds: 0)
        let stops: [AnnouncementMachine.Event] = [
            .removeAll(.caller, now: now), .timer(now: now + .seconds(2), asleep: .zero),
        ]
        for stop in stops {
            var machine = AnnouncementMachine()
            for id in 1...3 as ClosedRange<UInt64> {
                let item = AnnouncementMachine.Item(
                    id: id, category: .playback, options: [], priority: 0, expiresAt: now + .seconds(1), frames: 800,
                    addedAt: now)
                _ = machine.handle(.add(item))
            }
            _ = machine.handle(.activated(nil, now: now, asleep: .zero))
            let silenced = SoundResult(
                outcome: .silenced(by: .ringSilentSwitch), requestedAt: now, endedAt: now,
                position: StreamPosition(played: 0, total: 800))
            _ = machine.handle(.ended(1, silenced, now: now))
            let actions = machine.handle(stop)
            #expect(!actions.contains(.activate(.playback, [])) && actions.contains(.deactivate))
            #expect(machine.count == 0 && machine.handle(.proceed) == [])
        }
    }

    @Test("after a flip all announcements that honour the switch end as silenced, and those after it are heard")
    func flippedQueue() throws {
        let bench = try Bench()
        for name in ["a", "b", "c"] { try bench.add(name, 100, options: .honoursRingSilentSwitch) }
        try bench.add("d", 100)
        bench.clock.advance(by: .milliseconds(50))
        bench.bench.board.ringSilent.position = .silent
        bench.clock.advance(by: .seconds(1))
        let ends = bench.results.all.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
        #expect(ends == ["a", "b", "c"].map { "\($0) silenced by ringSilentSwitch" } + ["d finished"])
        #expect(bench.announcements.count == 0 && bench.clock.pendingTimers == 0)
    }

    // The clock of timers stands still meanwhile: an announcement of the evening was heard in the morning.
    @Test("an announcement that expires while the machine sleeps is not heard after it")
    func expiresAsleep() throws {
        let bench = try Bench()
        let call = bench.bench.sessions.interruptionBegan()
        try bench.add("old", 100, expiry: .seconds(60))
        try bench.add("new", 100, expiry: .seconds(36_000))
        bench.clock.advance(by: .seconds(10))
        bench.clock.sleep(for: .seconds(8 * 3600))
        bench.bench.sessions.interruptionEnded(call)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.results.all == ["old stopped by expired 10000.0", "new finished 10100.0"])
        #expect(bench.heard == "10000-10100" && bench.clock.pendingTimers == 0)
    }
}
