import RingerPolicy
import SessionRules
import Testing

@Suite("Sessions: routes")
struct SessionRouteTests {
    private func expectRoute(_ stage: SessionStage, _ name: String, _ route: AudioRoute?) throws {
        #expect(try stage.state(name).route.output == route)
    }

    @Test("plugging headphones in moves sound there, and the change has the reason and the old route")
    func plugIn() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.route(.headphone(isInserted: true)))
        let change = RouteChange(.newDeviceAvailable, from: SessionRoute(.speaker), to: SessionRoute(.headphone))
        #expect(stage.actions == [.routeChanged(stage["music"], change), .deviceRouteChanged(change)])
        try stage.send(.route(.headphone(isInserted: true)))
        #expect(stage.actions.isEmpty)
    }

    @Test("pulling headphones out pauses what played through them, and the session stays active")
    func pullOut() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.route(.headphone(isInserted: true)))
        try stage.send(.route(.headphone(isInserted: false)))
        #expect(stage.actions.first == .stopSound(stage["music"], .oldDeviceUnavailable))
        let change = RouteChange(.oldDeviceUnavailable, from: SessionRoute(.headphone), to: SessionRoute(.speaker))
        #expect(stage.actions.contains(.routeChanged(stage["music"], change)))
        #expect(try stage.state("music").isActive && !stage.state("music").isSounding)
    }

    @Test("a headset that loses its microphone plays on; pulled out in whichever order, it pauses once")
    func headset() throws {
        for microphoneFirst in [true, false] {
            var stage = try SessionStage(playing: ["music": "medi"])
            try stage.send(.route(.headphone(isInserted: true)))
            try stage.send(.route(.microphone(isInserted: true)))
            try expectRoute(stage, "music", .headset)
            var stops = 0
            for isMicrophone in [microphoneFirst, !microphoneFirst] {
                try stage.send(.route(isMicrophone ? .microphone(isInserted: false) : .headphone(isInserted: false)))
                let isPaused = try !stage.state("music").isSounding
                #expect(isPaused == !(isMicrophone && microphoneFirst))
                stops += stage.actions.count { $0 == .stopSound(stage["music"], .oldDeviceUnavailable) }
            }
            #expect(stops == 1)
            try expectRoute(stage, "music", .speaker)
        }
    }

    @Test("what was connected last wins, and what remains takes over")
    func lastWins() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.route(.external(.bluetooth, isPresent: true)))
        try stage.send(.route(.headphone(isInserted: true)))
        try expectRoute(stage, "music", .headphone)
        try stage.send(.route(.headphone(isInserted: false)))
        try expectRoute(stage, "music", .bluetooth)
        try stage.send(.route(.external(.bluetooth, isPresent: false)))
        try expectRoute(stage, "music", .speaker)
    }

    @Test("something else that goes does not pause what plays elsewhere")
    func otherGoes() throws {
        var stage = try SessionStage(playing: ["music": "medi"])
        try stage.send(.route(.external(.line, isPresent: true)))
        try stage.send(.route(.headphone(isInserted: true)))
        try stage.send(.route(.external(.line, isPresent: false)))
        #expect(stage.actions.isEmpty)
        #expect(try stage.state("music").isSounding)
    }

    @Test(
        "a call goes to the receiver; the override sends it to the speaker until a route changes or it is interrupted")
    func override() throws {
        var stage = try SessionStage(playing: ["call": "plar"])
        try expectRoute(stage, "call", .receiver)
        try stage.send(.setOverride(stage["call"], .speaker, true))
        try expectRoute(stage, "call", .speaker)
        #expect(
            stage.actions.contains { action in
                if case .routeChanged(_, let change) = action { change.reason == .override } else { false }
            })
        try stage.send(.route(.headphone(isInserted: true)))
        try expectRoute(stage, "call", .headphone)
        // It stays reverted when the headphones are gone.
        try stage.send(.route(.headphone(isInserted: false)))
        try expectRoute(stage, "call", .receiver)
        try stage.send(.setOverride(stage["call"], .speaker, true))
        try stage.send(.outsideBegan(OutsideInterruption(rawValue: 1)))
        try expectRoute(stage, "call", .receiver)
        #expect(try stage.state("call").settings.overrides == [])
    }

    @Test("the override reverts in sessions that are not active, too, and what it played on the speaker plays on")
    func overrideReverts() throws {
        var stage = try SessionStage()
        try stage.send(.route(.external(.line, isPresent: true)))
        try stage.playing(["call": "plar"])
        try stage.make("idle", "plar")
        for name in ["call", "idle"] { try stage.send(.setOverride(stage[name], .speaker, true)) }
        try stage.send(.route(.external(.line, isPresent: false)))
        for name in ["call", "idle"] {
            #expect(try stage.state(name).settings.overrides == [])
            try expectRoute(stage, name, .receiver)
        }
        #expect(try stage.state("call").isSounding)
    }

    @Test("the speaker override beats headphones that are plugged in already")
    func overrideHeadphones() throws {
        var stage = try SessionStage()
        try stage.send(.route(.headphone(isInserted: true)))
        try stage.playing(["call": "plar"])
        try expectRoute(stage, "call", .headphone)
        try stage.send(.setOverride(stage["call"], .speaker, true))
        try expectRoute(stage, "call", .speaker)
        #expect(
            stage.coordinator.decide(stage["call"], state: DeviceState())
                == .play(gain: 1, route: .speaker, vibrates: false, .categoryIgnoresSwitch))
        #expect(try stage.state("call").isSounding)
    }

    @Test("default-to-speaker survives routes and interruptions, and only a category ends it")
    func defaultToSpeaker() throws {
        var stage = try SessionStage(playing: ["call": "plar"])
        try stage.send(.setOverride(stage["call"], .defaultToSpeaker, true))
        try stage.send(.route(.headphone(isInserted: true)))
        try expectRoute(stage, "call", .headphone)
        try stage.send(.route(.headphone(isInserted: false)))
        try stage.send(.outsideBegan(OutsideInterruption(rawValue: 1)))
        try stage.send(.outsideEnded(OutsideInterruption(rawValue: 1), shouldResume: true))
        try expectRoute(stage, "call", .speaker)
        try stage.send(.setCategory(stage["call"], .playAndRecord))
        try expectRoute(stage, "call", .speaker)
        try stage.send(.setCategory(stage["call"], .playback))
        try stage.send(.setCategory(stage["call"], .playAndRecord))
        try expectRoute(stage, "call", .receiver)
    }

    @Test("a call takes Bluetooth only with its option; the override of the input leaves the output")
    func bluetooth() throws {
        var stage = try SessionStage()
        try stage.send(.route(.external(.bluetooth, isPresent: true)))
        try stage.playing(["call": "plar"])
        try expectRoute(stage, "call", .receiver)
        try stage.send(.setOverride(stage["call"], .bluetoothInput, true))
        try expectRoute(stage, "call", .receiver)
        try stage.send(.setOptions(stage["call"], .allowBluetooth))
        try expectRoute(stage, "call", .bluetooth)
    }

    @Test("waking reports the same route to every active session, with its own reason, and reverts nothing")
    func wakes() throws {
        var stage = try SessionStage(playing: ["call": "plar"])
        try stage.make("idle", "medi")
        try stage.send(.setOverride(stage["call"], .speaker, true))
        try stage.send(.route(.wokeFromSleep))
        let route = SessionRoute(.speaker, input: .microphone)
        let change = RouteChange(.wakeFromSleep, from: route, to: route)
        #expect(stage.actions == [.routeChanged(stage["call"], change), .deviceRouteChanged(change)])
    }

    @Test("a board whose last route goes has none that fits, and says so")
    func noRoute() throws {
        let board = try RouteBoard([.init(.headphone, pcm: "hp")])
        var coordinator = SessionCoordinator(board: board)
        let id = SessionID(rawValue: 1)
        _ = coordinator.handle(.make(id))
        #expect(coordinator.session(id)?.route.output == nil)
        _ = coordinator.handle(.activate(id))
        #expect(!coordinator.isAudible(id, state: DeviceState()))
        _ = coordinator.handle(.route(.headphone(isInserted: true)))
        #expect(coordinator.isAudible(id, state: DeviceState()))
        let change = RouteChange(.noSuitableRouteForCategory, from: SessionRoute(.headphone), to: SessionRoute(nil))
        #expect(coordinator.handle(.route(.headphone(isInserted: false))).contains(.routeChanged(id, change)))
        #expect(coordinator.routeName(id, state: DeviceState()) == "")
    }

    @Test("the device's own sounds go with the session that leads, and the change says that it is another's category")
    func deviceRoute() throws {
        var stage = try SessionStage(playing: ["ambience": "ambi"])
        try stage.make("call", "plar+mix", .call)
        try stage.send(.activate(stage["call"]))
        let speaker = SessionRoute(.speaker)
        let receiver = SessionRoute(.receiver, input: .microphone)
        #expect(stage.actions.last == .deviceRouteChanged(RouteChange(.categoryChange, from: speaker, to: receiver)))
        #expect(stage.coordinator.deviceRoute == receiver)
        try stage.send(.setOverride(stage["call"], .speaker, true))
        let overridden = SessionRoute(.speaker, input: .microphone)
        #expect(stage.actions.last == .deviceRouteChanged(RouteChange(.override, from: receiver, to: overridden)))
        try stage.send(.deactivate(stage["call"]))
        #expect(stage.coordinator.deviceRoute == speaker)
    }

    @Test("the route model finds the PCM, prefers what the board describes, and refuses a board that makes no sense")
    func board() throws {
        let model = RouteModel(board: try SessionStage.board())
        #expect(model.pcm(for: .headset) == "hs")
        #expect(RouteModel().pcm(for: .speaker) == "default" && RouteModel().pcm(for: .line) == nil)
        #expect(throws: SessionError.self) { try RouteBoard([.init(.line, pcm: "a"), .init(.line, pcm: "b")]) }
        #expect(throws: SessionError.self) { try RouteBoard([.init(.line, pcm: "")]) }
        // A box that only has a line output plays there; calls too.
        let line = RouteModel(board: try RouteBoard([.init(.line, pcm: "line")]))
        for category in AudioCategory.allCases {
            #expect(try line.route(for: SessionSettings(category: category)).output == .line)
        }
        // One that knows no headset plays on the headphones, whatever has a microphone.
        var simple = RouteModel(board: try RouteBoard([.init(.speaker, pcm: "a"), .init(.headphone, pcm: "b")]))
        #expect(simple.handle(.microphone(isInserted: true)) == nil)
        #expect(simple.handle(.headphone(isInserted: true)) == .newDeviceAvailable)
        #expect(simple.route(for: SessionSettings()).output == .headphone)
        #expect(simple.handle(.external(.speaker, isPresent: false)) == nil)
        #expect(simple.handle(.external(.bluetooth, isPresent: true)) == nil)
    }

    @Test("routes have the names that programs compare")
    func names() {
        let names = AudioRoute.allCases.map { [SessionRoute($0).name, SessionRoute($0, input: .microphone).name] }
        #expect(
            names == [
                ["Speaker", "SpeakerAndMicrophone"], ["Receiver", "ReceiverAndMicrophone"],
                ["Headphone", "HeadphonesAndMicrophone"], ["Headset", "HeadsetInOut"], ["Lineout", "LineInOut"],
                ["HeadphonesBT", "HeadsetBT"],
            ])
        #expect(RouteChangeReason.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7])
    }
}
