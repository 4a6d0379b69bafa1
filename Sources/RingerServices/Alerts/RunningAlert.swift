import Synchronization

/// One alert, from its start to its end: carries out what its machine asks for.
final class RunningAlert: Sendable {
    private let sounds: SystemSoundServices
    private let waiters: AlertWaiters
    private let runner: StateMachineRunner<AlertMachine>

    init(sounds: SystemSoundServices, sound: SystemSoundID) {
        self.sounds = sounds
        let waiters = AlertWaiters()
        self.waiters = waiters
        let clock = sounds.engine.clock
        let limit = TimerSlot(clock)
        let round = AlertRound(sounds, sound)
        runner = StateMachineRunner(AlertMachine()) { action, runner in
            switch action {
            case .play(let parts, let isPatient):
                round.begin(parts, isPatient: isPatient) { result in
                    runner.send(.roundEnded(result, sounds.engine.player.rules, now: clock.now))
                }
            case .stopRound(let cause):
                round.stop(because: cause)
            case .setLimit(let time):
                limit.set(at: time) { runner.send(.limit(now: clock.now)) }
            case .complete(let result):
                limit.cancel()
                waiters.finish(result)
            }
        }
    }

    /// Adds somebody who waits for the end; false where it is over already.
    @discardableResult
    func join(_ completion: @escaping @Sendable (AlertResult) -> Void) -> Bool {
        waiters.add(completion)
    }

    func start(_ way: AlertWay, limit: Duration) {
        runner.send(.start(way, limit: limit, sounds.engine.player.rules, now: sounds.engine.clock.now))
    }

    func rules(are rules: PlayerRules) {
        runner.send(.rules(rules, now: sounds.engine.clock.now))
    }

    func stop(because cause: SoundOutcome.StopCause) {
        runner.send(.stop(cause, now: sounds.engine.clock.now))
    }
}

/// Who waits for the end of an alert.
private final class AlertWaiters: Sendable {
    /// Nil once it is over.
    private let completions = Mutex<[@Sendable (AlertResult) -> Void]?>([])

    func add(_ completion: @escaping @Sendable (AlertResult) -> Void) -> Bool {
        completions.withLock { completions in
            completions?.append(completion)
            return completions != nil
        }
    }

    func finish(_ result: AlertResult) {
        let waiting = completions.withLock { completions in
            defer { completions = nil }
            return completions ?? []
        }
        for completion in waiting { completion(result) }
    }
}

/// The rounds of an alert: its sound, decoded once and kept, and the call that is the present round.
private final class AlertRound: Sendable {
    private struct State {
        var source: SystemSoundOrder.Source?
        var call: SystemSoundServices.Call?
    }

    private let sounds: SystemSoundServices
    private let order: SystemSoundOrder
    private let state = Mutex(State())

    init(_ sounds: SystemSoundServices, _ sound: SystemSoundID) {
        self.sounds = sounds
        order = sounds.order(sound, as: .alert)
    }

    func begin(
        _ parts: AlertMachine.Parts, isPatient: Bool, completion: @escaping @Sendable (SystemSoundResult) -> Void
    ) {
        var round = order
        // A predefined vibration is as much an alert here as a sound is: the user's preferences hold for it.
        round.request = .alert
        round.source = parts.sound ? decoded() : .none
        if !parts.vibration { round.pattern = nil }
        round.isPatient = isPatient
        round.tellsID = false
        let call = SystemSoundServices.Call(id: sounds.engine.player.reserve())
        state.withLock { $0.call = call }
        sounds.begin(call, round, completion)
    }

    func stop(because cause: SoundOutcome.StopCause) {
        if let call = state.withLock({ $0.call }) { sounds.stop(call, because: cause) }
    }

    private func decoded() -> SystemSoundOrder.Source {
        if let source = state.withLock({ $0.source }) { return source }
        let source: SystemSoundOrder.Source
        do throws(RingerError) {
            source = try sounds.load(order.source).map { .loaded($0) } ?? .none
        } catch {
            source = .failed(error)
        }
        state.withLock { $0.source = source }
        return source
    }
}
