import Synchronization

/// The sound hardware as sessions use it: told what they prefer, and asked what it grants.
final class SessionsHardware: Sendable {
    private let output: (any SoundOutput)?
    private let input: (any SoundInput)?
    private let store: DeviceStateStore
    private let clock: any DeviceClock
    private let report: @Sendable (DeviceEvent) -> Void
    /// Under which preferences the input was asked last.
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

    /// Has what is opened from now on be as near to `preferences` as the hardware comes.
    func prefer(_ preferences: SessionPreferences) {
        output?.prefer(preferences)
    }

    /// Asks, and calls `completion` when the device's state has the answers. What could not be asked keeps its figures,
    /// and an event says why.
    func ask(_ question: SessionsQuestion, completion: @escaping @Sendable () -> Void) {
        guard let output, let route = question.output else { return askInput(question, completion) }
        output.ask(route) { [self] error in
            if let error { note(error) }
            askInput(question, completion)
        }
    }

    private func askInput(_ question: SessionsQuestion, _ completion: @escaping @Sendable () -> Void) {
        guard let input, question.input, !isKnown(question.preferences) else { return completion() }
        input.ask(question.preferences) { [self] result in
            switch result {
            case .success(let format):
                inputPreferences.withLock { $0 = question.preferences }
                store.change(.inputFormat(format), from: input.name, at: clock.now)
            case .failure(let error):
                note(error)
            }
            completion()
        }
    }

    /// Whether the input's figures are those under `preferences`. Whoever records may hold it, and is not disturbed for
    /// what is known; an input that goes takes its figures along.
    private func isKnown(_ preferences: SessionPreferences) -> Bool {
        store.hardware.inputChannels > 0 && inputPreferences.withLock { $0 } == preferences
    }

    private func note(_ error: RingerError) {
        // Whoever closed the device knows.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
