/// What all sessions tell of themselves at one moment: the facts and the decision of each.
///
/// It says what ``SessionCoordinator`` says of each session, much faster for all of them: the device's state is prepared
/// once, and nothing is looked for.
struct SessionSurvey {
    private let coordinator: SessionCoordinator
    private let preferences: UserPreferences
    private let hardware: SessionHardware
    private let deviceRoute: AudioRoute
    /// As the rules must see it.
    private var state: DeviceState
    /// The same with nothing but the switch in the way of sounds.
    private var switchState: DeviceState

    init(_ snapshot: SessionTable.Snapshot) {
        coordinator = snapshot.coordinator
        preferences = snapshot.preferences
        hardware = snapshot.hardware
        state = snapshot.state
        state.sessions.formUnion(coordinator.activity)
        deviceRoute = state.route
        switchState = snapshot.state
        switchState.isScreenLocked = false
        switchState.sessions = []
    }

    /// The facts of one of the sessions.
    mutating func facts(of session: SessionState) -> SessionFacts {
        switchState.route = session.route.output ?? deviceRoute
        var alone = session
        alone.phase = .inactive
        let decision = RingerPolicy.decide(
            coordinator.request(for: alone), state: switchState, preferences: preferences)
        let others = coordinator.soundingCount - (session.isSounding ? 1 : 0)
        return SessionFacts(
            settings: session.settings,
            routeName: decision == .silence(.ringSilentSwitch) ? "" : session.route.name,
            isOtherAudioPlaying: coordinator.isOutsideAudioPlaying || others > 0, hardware: hardware)
    }

    /// What becomes of the sound of one of the sessions; nil where it is not active.
    mutating func decision(on session: SessionState) -> Decision? {
        guard session.isActive else { return nil }
        state.route = session.route.output ?? deviceRoute
        return RingerPolicy.decide(coordinator.request(for: session), state: state, preferences: preferences)
    }
}
