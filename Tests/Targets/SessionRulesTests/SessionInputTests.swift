import RingerPolicy
import SessionRules
import Testing

@Suite("Sessions: inputs")
struct SessionInputTests {
    private static func speaker(_ input: AudioInput?) -> SessionRoute { SessionRoute(.speaker, input: input) }

    // It used to keep the route "SpeakerAndMicrophone", and nothing reported that there was no microphone.
    @Test("record without an input has no suitable route, and the change says so, before and after the activation")
    func record() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(false))
        try stage.make("memo", "medi")
        try stage.send(.setCategory(stage["memo"], .record))
        let none = RouteChange(.noSuitableRouteForCategory, from: Self.speaker(nil), to: SessionRoute(nil))
        #expect(stage.actions.contains(.routeChanged(stage["memo"], none)))
        #expect(try stage.state("memo").route.name == "")
        #expect(stage.refusal(.activate(stage["memo"])) == .noHardware)

        try stage.send(.inputAvailable(true))
        let back = RouteChange(.newDeviceAvailable, from: SessionRoute(nil), to: Self.speaker(.microphone))
        #expect(stage.actions.contains(.routeChanged(stage["memo"], back)))
        try stage.send(.activate(stage["memo"]))
        try stage.send(.inputAvailable(false))
        let lost = RouteChange(.noSuitableRouteForCategory, from: Self.speaker(.microphone), to: SessionRoute(nil))
        #expect(
            stage.actions == [.routeChanged(stage["memo"], lost), .deviceRouteChanged(lost)])
        #expect(try stage.state("memo").isActive)
        try stage.send(.inputAvailable(true))
        #expect(stage.actions == [.routeChanged(stage["memo"], back), .deviceRouteChanged(back)])
    }

    @Test("a call whose input disappears has no suitable route by its reason, and is still heard where it was")
    func call() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(true))
        try stage.playing(["call": "plar"])
        try stage.send(.setOverride(stage["call"], .speaker, true))
        try stage.send(.inputAvailable(false))
        let lost = RouteChange(.noSuitableRouteForCategory, from: Self.speaker(.microphone), to: Self.speaker(nil))
        #expect(stage.actions == [.routeChanged(stage["call"], lost), .deviceRouteChanged(lost)])
        let call = try stage.state("call")
        #expect(call.isSounding && call.settings.overrides == .speaker && call.route.name == "Speaker")
        // A headphone is an ordinary change, even where the input is still missing.
        try stage.send(.route(.headphone(isInserted: true)))
        guard
            case .routeChanged(_, let change)? = stage.actions.first(where: {
                if case .routeChanged = $0 { true } else { false }
            })
        else {
            Issue.record("\(stage.actions)")
            return
        }
        #expect(change.reason == .newDeviceAvailable)
    }

    // It was refused with nohw, and no listener was called.
    @Test("an active session that is set to record without an input stays active, and has no suitable route")
    func setToRecord() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(false))
        try stage.playing(["music": "ambi"])
        try stage.send(.setCategory(stage["music"], .record))
        let none = RouteChange(.noSuitableRouteForCategory, from: Self.speaker(nil), to: SessionRoute(nil))
        #expect(stage.actions.contains(.routeChanged(stage["music"], none)))
        #expect(try stage.state("music").isActive && stage.state("music").settings.category == .record)
        try stage.send(.setCategory(stage["music"], .playAndRecord))
        let call = RouteChange(.noSuitableRouteForCategory, from: SessionRoute(nil), to: SessionRoute(.receiver))
        #expect(stage.actions.contains(.routeChanged(stage["music"], call)))
    }

    @Test("several routes at once need no input, and lose and get it as other devices")
    func multiRoute() throws {
        var stage = try SessionStage(playing: ["mixer": "multi"])
        try stage.send(.inputAvailable(false))
        let lost = RouteChange(.oldDeviceUnavailable, from: Self.speaker(.microphone), to: Self.speaker(nil))
        #expect(stage.actions.first == .routeChanged(stage["mixer"], lost))
        #expect(try stage.state("mixer").isSounding)
    }

    // The override used to be remembered and reported, and changed nothing.
    @Test("with cblu a session records from a Bluetooth device, and its output stays where it is")
    func bluetooth() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(true))
        try stage.send(.route(.external(.bluetooth, isPresent: true)))
        try stage.playing(["call": "plar"])
        #expect(try stage.state("call").route == SessionRoute(.receiver, input: .microphone))
        try stage.send(.setOverride(stage["call"], .bluetoothInput, true))
        let change = RouteChange(
            .override, from: SessionRoute(.receiver, input: .microphone), to: SessionRoute(.receiver, input: .bluetooth)
        )
        #expect(stage.actions.contains(.routeChanged(stage["call"], change)))
        #expect(try stage.state("call").isSounding)
        try stage.send(.route(.external(.bluetooth, isPresent: false)))
        #expect(try stage.state("call").route == SessionRoute(.receiver, input: .microphone))
    }

    @Test("a Bluetooth input is an input where there is no other, with cblu or allowBluetooth and not without")
    func bluetoothAlone() throws {
        for allows in [false, true] {
            var stage = try SessionStage()
            try stage.send(.inputAvailable(false))
            try stage.send(.route(.external(.bluetooth, isPresent: true)))
            try stage.make("memo", allows ? "reca+bt" : "reca")
            if !allows {
                #expect(stage.refusal(.activate(stage["memo"])) == .noHardware)
                try stage.send(.setOverride(stage["memo"], .bluetoothInput, true))
            }
            #expect(try stage.state("memo").route.input == .bluetooth)
            let facts = try #require(stage.coordinator.facts(of: stage["memo"], state: DeviceState()))
            #expect(facts.isInputAvailable)
            try stage.send(.activate(stage["memo"]))
            try stage.send(.route(.external(.bluetooth, isPresent: false)))
            guard case .routeChanged(_, let change)? = stage.actions.first else {
                Issue.record("\(stage.actions)")
                return
            }
            #expect(change.reason == .noSuitableRouteForCategory && change.new == SessionRoute(nil))
        }
    }

    @Test("of a headset's microphone and a Bluetooth device the newest is the input")
    func newest() throws {
        var stage = try SessionStage()
        try stage.send(.inputAvailable(true))
        try stage.make("memo", "reca+bt")
        try stage.send(.route(.external(.bluetooth, isPresent: true)))
        #expect(try stage.state("memo").route.input == .bluetooth)
        try stage.send(.route(.headphone(isInserted: true)))
        #expect(try stage.state("memo").route.input == .bluetooth)
        try stage.send(.route(.microphone(isInserted: true)))
        #expect(try stage.state("memo").route.input == .microphone)
    }

    // It used to be silenced, as if it could have been heard under other circumstances.
    @Test("playing in audioProcessing is refused with !cat, active or not")
    func audioProcessing() throws {
        var stage = try SessionStage()
        try stage.make("work", "proc")
        #expect(stage.refusal(.sounding(stage["work"], true)) == .incompatibleCategory)
        try stage.send(.activate(stage["work"]))
        #expect(stage.refusal(.sounding(stage["work"], true)) == .incompatibleCategory)
        try stage.send(.sounding(stage["work"], false))
        try stage.make("memo", "reca", .call)
        try stage.send(.activate(stage["memo"]))
        try stage.send(.sounding(stage["memo"], true))
    }

    @Test("a session that uses a hardware codec is refused with ?cat until its category was set explicitly")
    func hardwareCodec() throws {
        var stage = try SessionStage()
        let id = stage.coordinator.unusedID
        try stage.send(.make(id))
        // Without a hardware codec the default category will do.
        try stage.send(.activate(id))
        #expect(stage.refusal(.setUsesHardwareCodec(id, true)) == .noCategorySet)
        try stage.send(.deactivate(id))
        try stage.send(.setUsesHardwareCodec(id, true))
        #expect(stage.refusal(.activate(id)) == .noCategorySet)
        try stage.send(.setCategory(id, .soloAmbient))
        try stage.send(.activate(id))
    }
}
