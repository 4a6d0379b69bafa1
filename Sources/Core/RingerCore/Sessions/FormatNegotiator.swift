import SessionRules
import Synchronization

/// Negotiates formats with the sound hardware: hands it the preferences of the sessions, and publishes what it grants.
///
/// Any thread.
final class FormatNegotiator: Sendable {
    private let output: (any SoundOutput)?
    private let input: (any SoundInput)?
    private let publisher: StatePublisher
    private let clock: any DeviceClock
    private let report: @Sendable (DeviceEvent) -> Void
    /// What was last asked of the input.
    private let lastInput = Mutex<(preferences: SessionPreferences, pcm: String?)>((SessionPreferences(), nil))

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
    func ask(_ query: FormatQuery, completion: @escaping @Sendable () -> Void) {
        guard let output, let route = query.output else { return askInput(query, completion) }
        output.ask(route) { [self] error in
            if let error { note(error) }
            askInput(query, completion)
        }
    }

    private func askInput(_ query: FormatQuery, _ completion: @escaping @Sendable () -> Void) {
        guard let input, query.input != nil, !isKnown(query) else { return completion() }
        input.ask(query.preferences, pcm: query.inputPCM) { [self] result in
            switch result {
            case .success(let format):
                lastInput.withLock { $0 = (query.preferences, query.inputPCM) }
                publisher.change(.inputFormat(format), from: input.name, at: clock.now)
            case .failure(let error):
                note(error)
            }
            completion()
        }
    }

    /// Whether the input's figures answer `query`. Asking again would disturb a program that records; an input that
    /// disappears takes its figures along.
    private func isKnown(_ query: FormatQuery) -> Bool {
        publisher.hardware.inputChannels > 0 && lastInput.withLock { $0 == (query.preferences, query.inputPCM) }
    }

    private func note(_ error: RingerError) {
        // The caller closed the device, and needs no report.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
