import Testing

@testable import RingerServices

@Suite("A look at all sessions at once")
struct SessionSurveyTests {
    @Test("it says of each session what the coordinator says of it, whatever happened")
    func agrees() throws {
        var events = SessionEventGenerator(random: SeededGenerator(seed: 5))
        var coordinator = SessionCoordinator(board: try RouteBoard(SessionEventGenerator.board))
        let hardware = SessionHardware(sampleRate: 48_000, outputVolume: 0.5)
        var silenced = 0
        for step in 0..<20_000 {
            _ = coordinator.handle(events.next())
            let state = DeviceState(
                ringSilent: [.ring, .vibrate, .silent][step % 3], isScreenLocked: step.isMultiple(of: 5),
                route: step.isMultiple(of: 7) ? .bluetooth : .speaker)
            let preferences = UserPreferences()
            var survey = SessionSurvey(
                SessionTable.Snapshot(
                    coordinator: coordinator, state: state, preferences: preferences, hardware: hardware))
            for session in coordinator.sessions {
                let look = (facts: survey.facts(of: session), decision: survey.decision(on: session))
                let facts = coordinator.facts(for: session.id, hardware: hardware, state: state)
                let decision = session.isActive ? coordinator.decide(session.id, state: state) : nil
                #expect(look.facts == facts && look.decision == decision, "step \(step), \(session)")
                if look.decision?.isHeard == false { silenced += 1 }
            }
        }
        #expect(silenced > 100)
    }
}
