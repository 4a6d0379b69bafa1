import SessionRules

/// Asks the sound hardware what formats it grants, and publishes them. Any thread.
struct FormatNegotiator: Sendable {
    let output: (any SoundOutput)?
    let input: (any SoundInput)?
    let publisher: StatePublisher
    let clock: any DeviceClock
    let report: @Sendable (DeviceEvent) -> Void
    /// What was last asked of the input.
    private let lastInput = TransitionState((preferences: SessionPreferences(), pcm: nil as String?))

    /// Asks, and calls `completion` when the device's state has the answers. Hardware that cannot be asked keeps its
    /// figures, and a `degraded` event reports why.
    func ask(_ query: FormatQuery, completion: @escaping @Sendable () -> Void) {
        guard let output, let route = query.output else { return askInput(query, completion) }
        output.ask(route) { error in
            if let error { note(error) }
            askInput(query, completion)
        }
    }

    private func askInput(_ query: FormatQuery, _ completion: @escaping @Sendable () -> Void) {
        guard let input, query.input != nil, !isKnown(query) else { return completion() }
        input.ask(query.preferences, pcm: query.inputPCM) { result in
            switch result {
            case .success(let format):
                publisher.core.transition { lastInput.value = (query.preferences, query.inputPCM) }
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
        publisher.core.read {
            publisher.hardware.inputChannels > 0 && lastInput.value == (query.preferences, query.inputPCM)
        }
    }

    private func note(_ error: RingerError) {
        // The caller closed the device, and needs no report.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
