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

    /// The facts of one of the sessions, and what becomes of its sound; nil where it is not active.
    mutating func look(at session: SessionState) -> (facts: SessionFacts, decision: Decision?) {
        let route = session.route.output ?? deviceRoute
        let request = coordinator.request(for: session)
        switchState.route = route
        var calm = session
        calm.phase = .inactive
        let alone = RingerPolicy.decide(coordinator.request(for: calm), state: switchState, preferences: preferences)
        let isSilenced = alone == .silence(.ringSilentSwitch)
        let others = coordinator.soundingCount - (session.isSounding ? 1 : 0)
        let facts = SessionFacts(
            settings: session.settings, routeName: isSilenced ? "" : session.route.name,
            isOtherAudioPlaying: coordinator.isOutsideAudioPlaying || others > 0, hardware: hardware)
        guard session.isActive else { return (facts, nil) }
        state.route = route
        return (facts, RingerPolicy.decide(request, state: state, preferences: preferences))
    }
}
