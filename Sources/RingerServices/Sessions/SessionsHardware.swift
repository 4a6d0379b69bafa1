/// The sound hardware as sessions use it: told what they prefer, and asked what it grants.
struct SessionsHardware: Sendable {
    let output: (any SoundOutput)?
    let input: (any SoundInput)?
    let store: DeviceStateStore
    let clock: any DeviceClock
    let report: @Sendable (DeviceEvent) -> Void

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
        guard let input, question.input else { return completion() }
        input.ask(question.preferences) { [self] result in
            switch result {
            case .success(let format): store.change(.inputFormat(format), from: input.name, at: clock.now)
            case .failure(let error): note(error)
            }
            completion()
        }
    }

    private func note(_ error: RingerError) {
        // Whoever closed the device knows.
        if error.code != .closed { report(.degraded(error, at: clock.now)) }
    }
}
