import RingerPolicy
import SessionRules
import Testing

/// Whose preference the hardware is asked for.
@Suite("Sessions' preferences")
struct SessionPreferenceTests {
    private func wish(_ rate: Double = 0, _ buffer: Float = 0) -> SessionPreferences {
        SessionPreferences(sampleRate: rate, ioBufferDuration: buffer)
    }

    @Test("a session's preference counts from its activation on, and until it is deactivated")
    func active() throws {
        var stage = try SessionStage()
        try stage.make("music", "medi")
        try stage.send(.setPreferences(stage["music"], wish(44_100, 0.02)))
        #expect(stage.actions.isEmpty && stage.coordinator.preferences == wish())
        try stage.send(.activate(stage["music"]))
        #expect(stage.actions.contains(.preferencesChanged(wish(44_100, 0.02))))
        try stage.send(.setPreferences(stage["music"], wish(48_000, 0.02)))
        #expect(stage.actions == [.preferencesChanged(wish(48_000, 0.02))])
        try stage.send(.setPreferences(stage["music"], wish(48_000, 0.02)))
        #expect(stage.actions.isEmpty)
        try stage.send(.deactivate(stage["music"]))
        #expect(stage.actions.contains(.preferencesChanged(wish())))
    }

    @Test("of several that mix the newest decides, and leaves a preference that it does not have to the others")
    func newest() throws {
        var stage = try SessionStage()
        for name in ["first", "second", "third"] {
            try stage.make(name, "medi+mix")
            try stage.send(.activate(stage[name]))
        }
        try stage.send(.setPreferences(stage["first"], wish(44_100, 0.02)))
        try stage.send(.setPreferences(stage["second"], wish(48_000)))
        #expect(stage.coordinator.preferences == wish(48_000, 0.02))
        try stage.send(.setPreferences(stage["first"], wish(96_000, 0.02)))
        #expect(stage.actions.isEmpty)
        try stage.send(.deactivate(stage["second"]))
        #expect(stage.coordinator.preferences == wish(96_000, 0.02))
    }

    @Test("one of a higher priority decides before a newer one")
    func priority() throws {
        var stage = try SessionStage()
        try stage.make("call", "medi+mix", .call)
        try stage.make("music", "medi+mix")
        try stage.send(.setPreferences(stage["call"], wish(16_000)))
        try stage.send(.setPreferences(stage["music"], wish(44_100)))
        try stage.send(.activate(stage["call"]))
        try stage.send(.activate(stage["music"]))
        #expect(stage.coordinator.preferences == wish(16_000))
    }

    @Test("an interrupted session does not count until it resumes")
    func interrupted() throws {
        var stage = try SessionStage()
        try stage.make("music", "medi")
        try stage.send(.setPreferences(stage["music"], wish(44_100)))
        try stage.send(.activate(stage["music"]))
        let call = OutsideInterruption(rawValue: 1)
        try stage.send(.outsideBegan(call))
        #expect(stage.coordinator.preferences == wish())
        try stage.send(.outsideEnded(call, shouldResume: true))
        #expect(stage.coordinator.preferences == wish(44_100))
    }

    @Test("a preference without a session is refused, and that of a removed session is dropped")
    func gone() throws {
        var stage = try SessionStage()
        try stage.make("music", "medi")
        try stage.send(.activate(stage["music"]))
        try stage.send(.setPreferences(stage["music"], wish(44_100)))
        try stage.send(.remove(stage["music"]))
        #expect(stage.coordinator.preferences == wish())
        #expect(throws: SessionError.self) { try stage.send(.setPreferences(stage["music"], wish(48_000))) }
    }
}
