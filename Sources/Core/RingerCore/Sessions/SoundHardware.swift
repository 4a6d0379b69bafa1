import SessionRules
import Synchronization

/// What to ask the sound hardware, so that properties report what it grants before anything was played.
struct HardwareQuery: Sendable, Hashable {
    /// The route whose PCM is asked; nil for none.
    var output: AudioRoute?
    /// The input that is asked; nil for none.
    var input: AudioInput?
    /// The capture PCM of a Bluetooth input; nil for the microphone.
    var inputPCM: String?
    /// The preferences of the active sessions.
    var preferences = SessionPreferences()

    /// Whether there is nothing to ask.
    var isEmpty: Bool { output == nil && input == nil }

    /// The query that follows from `event` and the `actions` it led to.
    ///
    /// The hardware's figures are known while a session is active: a query is due where a session becomes active, where
    /// preferences or routes change, and where an input appears. The output is asked on the route of the session that leads,
    /// the input of the active session that records and leads.
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
            case .routeChanged(let id, let change):
                let isActive = coordinator.session(id)?.isActive ?? false
                asksInput = asksInput || isActive && change.new.input != change.old.input
            case .accepted, .refused, .stopSound, .deactivated, .interruptionBegan, .interruptionEnded,
                .interruptionDropped, .duck, .unduck, .activityChanged:
                continue
            }
        }
        if asksOutput && leader.settings.category.plays { output = coordinator.deviceRoute.output }
        guard asksInput, let recorder = coordinator.recorder else { return }
        input = recorder.route.input
        if input == .bluetooth { inputPCM = coordinator.routes.pcm(for: .bluetooth) }
    }
}

/// The sound hardware as sessions use it: takes their preferences, and answers what it grants.
final class SoundHardware: Sendable {
    private let output: (any SoundOutput)?
    private let input: (any SoundInput)?
    private let publisher: StatePublisher
    private let clock: any DeviceClock
    private let report: @Sendable (DeviceEvent) -> Void
    /// What was last asked of the input.
    private let lastInput = Mutex(Input(preferences: SessionPreferences(), pcm: nil))

    private struct Input: Sendable, Equatable {
        var preferences: SessionPreferences
        var pcm: String?
    }

    init(
        output: (any SoundOutput)?, input: (any SoundInput)?, publisher: StatePublisher, clock: any DeviceClock,
        report: @escaping @Sendable (DeviceEvent) -> Void
    ) {
        self.output = output
        self.input = input
        self.publisher = publisher
        self.clock = clock
        self.report = report
    }

    /// Opens PCMs from now on as near to `preferences` as the hardware comes.
    func prefer(_ preferences: SessionPreferences) {
        output?.prefer(preferences)
    }

    /// Has the output begin to close the PCMs that no sound plays on.
    func release() {
        output?.release(stoppingSounds: false) {}
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
        let question = Input(preferences: query.preferences, pcm: query.inputPCM)
        guard let input, query.input != nil, !isKnown(question) else { return completion() }
        input.ask(question.preferences, pcm: question.pcm) { [self] result in
            switch result {
            case .success(let format):
                lastInput.withLock { $0 = question }
                publisher.change(.inputFormat(format), from: input.name, at: clock.now)
            case .failure(let error):
                note(error)
            }
            completion()
        }
    }

    /// Whether the input's figures answer `question`. Asking again would disturb a program that records; an input that
    /// disappears takes its figures along.
    private func isKnown(_ question: Input) -> Bool {
        publisher.hardware.inputChannels > 0 && lastInput.withLock { $0 } == question
    }

    private func note(_ error: RingerError) {
        // The caller closed the device, and needs no report.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
