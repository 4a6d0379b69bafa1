import RingerPolicy
import SessionRules
import Testing

@Suite("Sessions: activating and deactivating")
struct SessionCoordinatorTests {
    @Test("a session that set nothing is SoloAmbient, inactive, and has a route")
    func defaults() throws {
        var coordinator = SessionCoordinator()
        let id = coordinator.unusedID
        #expect(coordinator.handle(.make(id, client: .local, name: "chime")) == [.accepted(id)])
        let session = try #require(coordinator.session(id))
        #expect(session.settings.category == .soloAmbient && session.settings.options == [])
        #expect(session.name == "chime" && session.priority == .ordinary && session.phase == .inactive)
        #expect(session.route.name == "Speaker")
        #expect(session.request == .session(.soloAmbient))
    }

    @Test("numbers are the client's to choose, and are not given out twice")
    func numbers() {
        var coordinator = SessionCoordinator()
        let chosen = SessionID(rawValue: 1_000)
        _ = coordinator.handle(.make(chosen))
        #expect(coordinator.unusedID == SessionID(rawValue: 1_001))
        _ = coordinator.handle(.remove(chosen))
        #expect(coordinator.unusedID == SessionID(rawValue: 1_001))
    }

    @Test("making a session twice, using one that was not made, and a number that none has are refused by their codes")
    func badNumbers() throws {
        var stage = try SessionStage()
        try stage.make("a", "solo")
        #expect(stage.refusal(.make(stage["a"])) == .alreadyInitialized)
        #expect(stage.refusal(.make(SessionID(rawValue: 0))) == .badParameter)
        #expect(stage.refusal(.make(SessionID(rawValue: .max))) == .badParameter)
        let none = SessionID(rawValue: 77)
        let requests: [SessionCoordinator.Event] = [
            .remove(none), .setCategory(none, .playback), .setOptions(none, []), .setSpoken(none, true),
            .setOverride(none, .speaker, true), .activate(none), .deactivate(none), .sounding(none, true),
        ]
        for request in requests { #expect(stage.refusal(request) == .notInitialized) }
    }

    @Test("activating a session that does not mix stops and interrupts the one that played, before it is accepted")
    func interrupts() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("game", "solo")
        try stage.send(.activate(stage["game"]))
        #expect(
            stage.actions == [
                .stopSound(stage["music"], .interruption),
                .interruptionBegan(stage["music"], by: .session(stage["game"])), .activated(stage["game"]),
            ])
        #expect(try stage.state("music").isInterrupted)
    }

    @Test("deactivating lets the interrupted session resume: it is active again and notified")
    func resumes() throws {
        var stage = try SessionStage(playing: ["music": "medi", "game": "solo"])
        try stage.send(.deactivate(stage["game"], notifyOthers: true))
        #expect(
            stage.actions == [
                .stopSound(stage["game"], .deactivation), .deactivated(stage["game"]),
                .interruptionEnded(stage["music"], shouldResume: true),
            ])
        #expect(try stage.state("music").isActive)
        #expect(try !stage.state("music").isSounding)
    }

    @Test("deactivating without notifying others ends the interruption, and no session resumes")
    func doesNotNotify() throws {
        var stage = try SessionStage(playing: ["music": "medi", "game": "solo"])
        try stage.send(.deactivate(stage["game"], notifyOthers: false))
        #expect(stage.actions.last == .interruptionEnded(stage["music"], shouldResume: false))
        #expect(try stage.state("music").phase == .inactive)
        // Activated again, it is as good as new.
        try stage.send(.activate(stage["music"]))
        try stage.send(.activate(stage["game"]))
        try stage.send(.remove(stage["game"]))
        #expect(stage.actions.last == .interruptionEnded(stage["music"], shouldResume: true))
    }

    @Test("activating what is active, and deactivating what is not, does nothing")
    func twice() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.activate(stage["music"]))
        #expect(stage.actions.isEmpty)
        try stage.make("idle", "medi")
        try stage.send(.deactivate(stage["idle"]))
        #expect(stage.actions.isEmpty)
    }

    @Test("a lower session is refused with !act beside a higher one that does not mix, and nothing changes")
    func refused() throws {
        var stage = try SessionStage()
        try stage.make("call", "plar", .call)
        try stage.send(.activate(stage["call"]))
        for profile in ["solo", "medi", "medi+mix", "ambi", "reca"] {
            try stage.make(profile, profile)
            #expect(stage.refusal(.activate(stage[profile])) == .notActive)
        }
        try stage.make("fire", "medi", .alarm)
        try stage.send(.activate(stage["fire"]))
        #expect(try stage.state("call").isInterrupted)
    }

    @Test("an active session that would no longer fit is refused the change with !cat, and keeps what it had")
    func refusedChange() throws {
        var stage = try SessionStage()
        try stage.make("alarm", "medi+mix", .alarm)
        try stage.send(.activate(stage["alarm"]))
        try stage.playing(["ambience": "ambi"])
        #expect(stage.refusal(.setCategory(stage["ambience"], .record)) == .incompatibleCategory)
        #expect(try stage.state("ambience").settings.category == .ambient)
        try stage.send(.setCategory(stage["ambience"], .playback))
    }

    @Test("an active session that stops mixing interrupts others as if it were activated then")
    func stopsMixing() throws {
        var stage = try SessionStage(playing: ["music": "medi", "voice": "medi+mix"])
        try stage.send(.setOptions(stage["voice"], []))
        #expect(stage.actions.contains(.interruptionBegan(stage["music"], by: .session(stage["voice"]))))
        // Mixing again does not bring it back: only the end does.
        try stage.send(.setOptions(stage["voice"], .mixWithOthers))
        #expect(try stage.state("music").isInterrupted)
        try stage.send(.deactivate(stage["voice"]))
        #expect(try stage.state("music").isActive)
    }

    @Test("playing needs an active session")
    func playing() throws {
        var stage = try SessionStage()
        try stage.make("music", "medi")
        #expect(stage.refusal(.sounding(stage["music"], true)) == .notActive)
        try stage.send(.sounding(stage["music"], false))
        try stage.send(.activate(stage["music"]))
        try stage.send(.sounding(stage["music"], true))
        try stage.send(.outsideBegan(OutsideInterruption(rawValue: 1)))
        #expect(stage.refusal(.sounding(stage["music"], true)) == .notActive)
    }

    @Test("activating a recording session without an input is refused with nohw; not knowing of one refuses nothing")
    func noInput() throws {
        var stage = try SessionStage()
        try stage.make("memo", "reca")
        try stage.make("call", "plar")
        try stage.send(.inputAvailable(false))
        #expect(stage.refusal(.activate(stage["memo"])) == .noHardware)
        #expect(stage.refusal(.activate(stage["call"])) == .noHardware)
        for isAvailable in [nil, true] as [Bool?] {
            try stage.send(.inputAvailable(isAvailable))
            try stage.send(.activate(stage["memo"]))
            try stage.send(.deactivate(stage["memo"]))
        }
    }

    @Test("a recording session silences what mixes with it, for as long as it is active")
    func recording() throws {
        var stage = try SessionStage(playing: ["music": "ambi"])
        try stage.make("memo", "reca")
        try stage.send(.activate(stage["memo"]))
        #expect(
            stage.actions == [
                .activated(stage["memo"]), .activityChanged([.silencesPlayback, .records]),
                .deviceRouteChanged(
                    RouteChange(
                        .categoryChange, from: SessionRoute(.speaker), to: SessionRoute(.speaker, input: .microphone))),
            ])
        #expect(!stage.coordinator.isAudible(stage["music"], state: DeviceState()))
        #expect(
            RingerPolicy.decide(.alert, state: DeviceState(sessions: stage.coordinator.activity)).reason
                == .sessionSilencesPlayback)
        try stage.send(.deactivate(stage["memo"]))
        #expect(stage.coordinator.isAudible(stage["music"], state: DeviceState()))
    }

    @Test("one that ducks lowers others once, and they come back when it ends, in either order of activation")
    func ducks() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("voice", "medi+duck")
        try stage.send(.activate(stage["voice"]))
        #expect(stage.actions == [.activated(stage["voice"]), .duck(stage["music"])])
        try stage.make("ambience", "ambi")
        try stage.send(.activate(stage["ambience"]))
        #expect(stage.actions == [.activated(stage["ambience"]), .duck(stage["ambience"])])
        try stage.send(.deactivate(stage["voice"]))
        #expect(stage.actions == [.deactivated(stage["voice"]), .unduck(stage["music"]), .unduck(stage["ambience"])])
    }

    @Test("of two ducking sessions the newer is heard in full, and none of a higher priority is ducked")
    func ducksDuckers() throws {
        var stage = try SessionStage(playing: ["voice": "medi+duck", "second": "medi+duck"])
        #expect(try stage.state("voice").isDucked && !stage.state("second").isDucked)
        try stage.send(.deactivate(stage["second"]))
        #expect(try !stage.state("voice").isDucked)
        try stage.make("alarm", "medi+mix", .alarm)
        try stage.send(.activate(stage["alarm"]))
        #expect(try !stage.state("alarm").isDucked)
    }

    @Test("a session that plays and records is a call, with a call's priority or without; a ring tone is none")
    func calls() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(true))
        let call: SessionActivity = [.records, .call]
        for (settings, priority, activity) in [
            ("plar", .ordinary, call), ("plar", .call, call.union(.callByPriority)),
            ("plar", .alarm, call.union(.callByPriority)), ("plar+duck", .ordinary, call),
            ("plar+mix", .ordinary, .records), ("plar+mix", .call, call.union(.callByPriority)), ("medi", .call, []),
        ] as [(String, SessionPriority, SessionActivity)] {
            let name = "\(settings) \(priority.rawValue)"
            try stage.make(name, settings, priority)
            try stage.send(.activate(stage[name]))
            #expect(stage.coordinator.activity == activity, "\(name)")
            try stage.send(.deactivate(stage[name]))
            #expect(stage.coordinator.activity == [])
        }
        // It is answered: the ring tone's session becomes that of the call.
        try stage.make("ring", "medi", .call)
        try stage.send(.activate(stage["ring"]))
        try stage.send(.setCategory(stage["ring"], .playAndRecord))
        #expect(stage.coordinator.activity.contains(.callByPriority))
    }

    @Test("a ducked sound is 14 decibels down, within 50 ms")
    func amount() {
        #expect(abs(Ducking.gain * Ducking.gain - 0.039_810_7) < 0.000_001)
        #expect(Ducking.decibels == -14 && Ducking.ramp <= .milliseconds(50))
        let preferences = UserPreferences()
        #expect(preferences.duckingGain == Ducking.gain && preferences.duckingDepth == -Ducking.decibels)
        #expect(preferences.duckingDown == Ducking.ramp && preferences.duckingUp == Ducking.ramp)
    }

    @Test("interrupting speech interrupts those that speak and no others")
    func speech() throws {
        var stage = try SessionStage()
        try stage.make("podcast", "medi", isSpoken: true)
        try stage.send(.activate(stage["podcast"]))
        try stage.playing(["ambience": "ambi", "voice": "medi+speech"])
        #expect(try stage.state("podcast").isInterrupted && stage.state("ambience").isActive)
        try stage.send(.deactivate(stage["voice"]))
        #expect(try stage.state("podcast").isActive)
    }

    @Test("removing a session, or the death of its client, undoes all that it did to others")
    func removal() throws {
        var stage = try SessionStage()
        let other = SessionClientID(rawValue: 9)
        try stage.playing(["music": "medi", "ambience": "ambi"])
        try stage.make("game", "solo", client: other)
        try stage.make("voice", "medi+duck", client: other)
        try stage.send(.activate(stage["game"]))
        try stage.send(.activate(stage["voice"]))
        #expect(try stage.state("music").isInterrupted && stage.state("ambience").isDucked)
        try stage.send(.clientDied(other))
        #expect(stage.coordinator.session(stage["game"]) == nil && stage.coordinator.session(stage["voice"]) == nil)
        #expect(try stage.state("music").isActive && !stage.state("ambience").isDucked)
        #expect(stage.refusal(.activate(stage["game"])) == .notInitialized)
        try stage.send(.remove(stage["music"]))
        #expect(stage.actions == [.deactivated(stage["music"])])
    }

    @Test("a dead client's own sessions do not resume one after the other on its way out")
    func deathIsOne() throws {
        var stage = try SessionStage()
        let other = SessionClientID(rawValue: 9)
        try stage.make("a", "medi", client: other)
        try stage.make("b", "solo", client: other)
        try stage.send(.activate(stage["a"]))
        try stage.send(.activate(stage["b"]))
        try stage.send(.clientDied(other))
        #expect(
            stage.actions == [
                .deactivated(stage["b"]), .interruptionDropped(stage["a"], .removed), .deactivated(stage["a"]),
            ])
    }

    @Test("other audio is another session's, or another process's, and never one's own")
    func otherAudio() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.make("game", "ambi")
        #expect(stage.coordinator.isOtherAudioPlaying(beside: stage["game"]))
        #expect(!stage.coordinator.isOtherAudioPlaying(beside: stage["music"]))
        try stage.send(.outsideAudio(isPlaying: true))
        #expect(stage.coordinator.isOtherAudioPlaying(beside: stage["music"]))
        try stage.send(.outsideAudio(isPlaying: false))
        try stage.send(.sounding(stage["music"], false))
        #expect(!stage.coordinator.isOtherAudioPlaying(beside: stage["game"]))
    }

    @Test("options do not survive a category, and a category takes only its own")
    func options() throws {
        var stage = try SessionStage()
        try stage.make("a", "medi+duck")
        try stage.send(.setCategory(stage["a"], .multiRoute))
        #expect(try stage.state("a").settings.options == [])
        for category in AudioCategory.allCases {
            for bit in UInt32(0)..<32 {
                let options = CategoryOptions(rawValue: 1 << bit)
                let isAllowed = category.allowedOptions.isSuperset(of: options) && bit != 4
                let code = stage.refusal(.setCategory(stage["a"], category, options: options))
                #expect(code == (isAllowed ? nil : .incompatibleCategory))
            }
        }
        try stage.send(.setCategory(stage["a"], .ambient))
        #expect(stage.refusal(.setOptions(stage["a"], .duckOthers)) == .incompatibleCategory)
        #expect(stage.refusal(.setOptions(stage["a"], CategoryOptions(rawValue: 16))) == .incompatibleCategory)
    }
}
