import SessionRules

/// What to ask the sound hardware, so that properties report what it grants before anything was played.
struct FormatQuery: Sendable, Hashable {
    /// The route whose PCM is asked; nil for none.
    var output: AudioRoute?
    /// The input that is asked; nil for none.
    var input: AudioInput?
    /// The capture PCM of a Bluetooth input; nil for the microphone.
    var inputPCM: String?
    /// The preferences of the active sessions.
    var preferences = SessionPreferences()

    /// The query that follows from `event` and the `actions` it led to; nil if there is nothing to ask.
    ///
    /// The hardware's figures are known while a session is active: a query is due where a session becomes active, where
    /// preferences or routes change, and where an input appears. The output is asked on the route of the session that leads,
    /// the input of the active session that records and leads.
    init?(
        after event: SessionCoordinator.Event, _ actions: [SessionCoordinator.Action],
        of coordinator: SessionCoordinator
    ) {
        guard let leader = coordinator.leader else { return nil }
        preferences = coordinator.preferences
        var asksOutput = false
        var asksInput = event == .inputAvailable(true)
        for action in actions {
            switch action {
            case .activated(let id), .interruptionEnded(let id, shouldResume: true), .settingsChanged(let id, _):
                guard let session = coordinator.session(id), session.isActive else { continue }
                asksOutput = true
                asksInput = asksInput || session.settings.category.records
            case .preferencesChanged:
                asksOutput = true
                asksInput = true
            case .deviceRouteChanged:
                asksOutput = true
            case .routeChanged(let id, let change):
                let isActive = coordinator.session(id)?.isActive ?? false
                asksInput = asksInput || isActive && change.new.input != change.old.input
            case .accepted, .refused, .stopSound, .deactivated, .interruptionBegan, .interruptionEnded,
                .interruptionDropped, .duck, .unduck, .activityChanged:
                continue
            }
        }
        if asksOutput && leader.settings.category.plays { output = coordinator.deviceRoute.output }
        if asksInput { input = coordinator.recorder?.route.input }
        if input == .bluetooth { inputPCM = coordinator.routes.pcm(for: .bluetooth) }
        if output == nil && input == nil { return nil }
    }
}
