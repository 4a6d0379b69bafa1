import RingerPolicy

/// The conditions under which the sessions of a coordinator are heard, prepared once for all of them: the device's state,
/// the user's preferences, the activity of all sessions.
package struct SessionConditions {
    private let preferences: UserPreferences
    private let deviceRoute: AudioRoute
    private let isOutsideAudioPlaying: Bool
    private let soundingCount: Int
    /// The device's state with the activity of the coordinator's sessions, and the route of the session in question.
    private var state: DeviceState
    /// The same as if nothing but the switch could silence a session.
    private var switchState: DeviceState

    package init(_ state: DeviceState, _ preferences: UserPreferences, in coordinator: SessionCoordinator) {
        self.preferences = preferences
        deviceRoute = state.route
        isOutsideAudioPlaying = coordinator.isOutsideAudioPlaying
        soundingCount = coordinator.soundingCount
        self.state = state
        self.state.sessions.formUnion(coordinator.activity)
        self.state.hasReceiver = coordinator.routes.board.hasReceiver
        switchState = self.state
        switchState.isScreenLocked = false
        switchState.sessions = []
    }

    /// The decision on the session's sound, whether or not the session is active.
    package mutating func decision(on session: SessionState) -> Decision {
        state.route = session.route.output ?? deviceRoute
        return RingerPolicy.decide(session.request, state: state, preferences: preferences)
    }

    /// Whether the session is active and its sound would be heard.
    package mutating func isAudible(_ session: SessionState) -> Bool {
        session.isActive && session.route.output != nil && decision(on: session).isHeard
    }

    /// The name of the session's route, the value of property `rout`: empty while the Ring/Silent switch, or software, silences
    /// the session, whether or not it is active, locked out or interrupted.
    package mutating func routeName(of session: SessionState) -> String {
        switchState.route = session.route.output ?? deviceRoute
        var request = session.request
        if case .session(let category, let options, _, _, let isAlarm, _) = request {
            request = .session(category, options: options, isAlarm: isAlarm)
        }
        switch RingerPolicy.decide(request, state: switchState, preferences: preferences) {
        case .silence(.ringSilentSwitch), .silence(.softwareSilent), .silence(.quietHours): return ""
        default: return session.route.name
        }
    }

    /// What the session's properties report.
    package mutating func facts(of session: SessionState, _ hardware: HardwareFigures) -> SessionFacts {
        var hardware = hardware
        if session.route.input == .bluetooth { hardware.isInputAvailable = true }
        if session.settings.category.records && session.route.input == nil {
            (hardware.inputChannels, hardware.inputLatency) = (0, 0)
        }
        let others = soundingCount - (session.isSounding ? 1 : 0)
        return SessionFacts(
            settings: session.settings, preferences: session.preferences, routeName: routeName(of: session),
            isOtherAudioPlaying: isOutsideAudioPlaying || others > 0 || session.isOtherAudioPlaying,
            hardware: hardware)
    }
}

extension SessionState {
    /// The session's sound as the rules need to know it.
    package var request: SoundRequest {
        .session(
            settings.category, options: settings.effectiveOptions, isInterrupted: isInterrupted,
            isInBackground: isInBackground, isAlarm: priority >= .alarm)
    }
}

/// Everything that the facts and the audibility of all sessions follow from, at one moment.
package struct SessionSnapshot: Sendable, Equatable {
    /// The sessions.
    package var coordinator: SessionCoordinator
    /// The device's state.
    package var state: DeviceState
    /// The user's preferences.
    package var preferences: UserPreferences
    /// The sound hardware.
    package var hardware: HardwareFigures

    package init(
        coordinator: SessionCoordinator, state: DeviceState, preferences: UserPreferences = UserPreferences(),
        hardware: HardwareFigures = HardwareFigures()
    ) {
        self.coordinator = coordinator
        self.state = state
        self.preferences = preferences
        self.hardware = hardware
    }

    /// The conditions under which the sessions are heard.
    package var conditions: SessionConditions { SessionConditions(state, preferences, in: coordinator) }
}

// For one session at a time.
extension SessionCoordinator {
    /// The decision on the sound of session `id`, whether or not the session is active; nil if there is no such
    /// session. It allocates nothing.
    package func decide(
        _ id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences()
    ) -> Decision? {
        index(of: id).map { index in
            var conditions = SessionConditions(state, preferences, in: self)
            return conditions.decision(on: sessions[index])
        }
    }

    /// Whether the session `id` is active and its sound would be heard.
    package func isAudible(
        _ id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences()
    ) -> Bool {
        guard let index = index(of: id) else { return false }
        var conditions = SessionConditions(state, preferences, in: self)
        return conditions.isAudible(sessions[index])
    }

    /// What the properties of session `id` report; nil if there is no such session.
    package func facts(
        of id: SessionID, state: DeviceState, preferences: UserPreferences = UserPreferences(),
        hardware: HardwareFigures = HardwareFigures()
    ) -> SessionFacts? {
        index(of: id).map { index in
            var conditions = SessionConditions(state, preferences, in: self)
            return conditions.facts(of: sessions[index], hardware)
        }
    }
}
