import SessionRules
import Synchronization

/// What to ask the sound hardware, so that properties report what it grants before anything was played.
struct HardwareQuery: Sendable, Hashable {
    /// The route whose PCM is asked; nil for none.
    var output: AudioRoute?
    /// Whether the input is asked.
    var input = false
    /// The preferences of the active sessions.
    var preferences = SessionPreferences()

    /// Whether there is nothing to ask.
    var isEmpty: Bool { output == nil && !input }

    /// The query that follows from `event` and the `actions` it led to.
    ///
    /// The hardware's figures are known while a session is active: a query is due where a session becomes active, where
    /// preferences or routes change, and where an input appears. The output is asked on the route of the session that leads,
    /// the input where an active session records.
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

/// The sound hardware as sessions use it: takes their preferences, and answers what it grants.
final class SoundHardware: Sendable {
    private let output: (any SoundOutput)?
    private let input: (any SoundInput)?
    private let store: DeviceStateStore
    private let clock: any DeviceClock
    private let report: @Sendable (DeviceEvent) -> Void
    /// The preferences under which the input was last asked.
    private let inputPreferences = Mutex(SessionPreferences())

    init(
        output: (any SoundOutput)?, input: (any SoundInput)?, store: DeviceStateStore, clock: any DeviceClock,
        report: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        self.output = output
        self.input = input
        self.store = store
        self.clock = clock
        self.report = report
    }

    /// Opens PCMs from now on as near to `preferences` as the hardware comes.
    func prefer(_ preferences: SessionPreferences) {
        output?.prefer(preferences)
    }

    /// Asks, and calls `completion` when the device's state has the answers. Hardware that cannot be asked keeps its
    /// figures, and a `degraded` event reports why.
    func ask(_ query: HardwareQuery, completion: @escaping @Sendable () -> Void) {
        guard let output, let route = query.output else { return askInput(query, completion) }
        output.ask(route) { [self] error in
            if let error { note(error) }
            askInput(query, completion)
        }
    }

    private func askInput(_ query: HardwareQuery, _ completion: @escaping @Sendable () -> Void) {
        guard let input, query.input, !isKnown(query.preferences) else { return completion() }
        input.ask(query.preferences) { [self] result in
            switch result {
            case .success(let format):
                inputPreferences.withLock { $0 = query.preferences }
                store.change(.inputFormat(format), from: input.name, at: clock.now)
            case .failure(let error):
                note(error)
            }
            completion()
        }
    }

    /// Whether the input's figures are those under `preferences`. Asking again would disturb a program that records; an
    /// input that disappears takes its figures along.
    private func isKnown(_ preferences: SessionPreferences) -> Bool {
        store.hardware.inputChannels > 0 && inputPreferences.withLock { $0 } == preferences
    }

    private func note(_ error: RingerError) {
        // The caller closed the device, and needs no report.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
