/// What the sound hardware is to be asked, so that properties tell what it grants before anything was played.
struct SessionsQuestion: Sendable, Hashable {
    /// The route whose hardware is asked; nil for none.
    var output: AudioRoute?
    /// Whether the input is asked.
    var input = false
    /// What is preferred.
    var preferences = SessionPreferences()

    /// Whether there is nothing to ask.
    var isEmpty: Bool { output == nil && !input }

    /// What there is to ask after `event` led to `actions`.
    ///
    /// The hardware is known while a session is active: where one becomes so, where what the sessions prefer changes, where
    /// sound goes elsewhere, where input is there again. The output is asked where the session that leads plays, the input
    /// where an active one records.
    init(
        after event: SessionCoordinator.Event, _ actions: [SessionCoordinator.Action],
        of coordinator: SessionCoordinator
    ) {
        guard let leader = coordinator.leader else { return }
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
            case .accepted, .refused, .stopSound, .deactivated, .interruptionBegan, .interruptionEnded,
                .interruptionDropped, .duck, .unduck, .routeChanged, .activityChanged:
                continue
            }
        }
        if asksOutput && leader.settings.category.plays { output = coordinator.deviceRoute.output }
        input = asksInput && coordinator.activity.contains(.records) && coordinator.isInputAvailable != false
    }
}
