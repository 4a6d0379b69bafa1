/// One alert, from its start to its end: carries out the actions of its ``AlertMachine``. Any thread.
package final class RunningAlert: Sendable {
    let kind: Alerts.Kind
    private let sounds: SystemSoundServices
    private let waiters = TransitionState(AlertWaiters())
    private let round: AlertRound
    let runner: StateMachineRunner<AlertMachine>

    init(_ kind: Alerts.Kind, _ sounds: SystemSoundServices) {
        self.kind = kind
        self.sounds = sounds
        let waiters = waiters
        let clock = sounds.engine.clock
        let core = sounds.engine.core
        let limit = TimerSlot(clock, core)
        let pause = TimerSlot(clock, core)
        let round = AlertRound(kind, sounds)
        self.round = round
        runner = StateMachineRunner(AlertMachine(), in: core) { action, runner in
            switch action {
            case .play(let parts):
                round.begin(parts) { result in
                    runner.send(
                        .roundEnded(
                            result, sounds.engine.player.rules, unplayable: parts.sound ? round.unplayable : nil,
                            now: clock.now))
                }
            case .stopRound(let cause):
                round.stop(because: cause)
            case .pause(let time):
                pause.set(at: time) {
                    runner.core.transition { runner.send(.pauseIsOver(sounds.engine.player.rules, now: clock.now)) }
                }
            case .setLimit(let time):
                limit.set(at: time) { runner.send(.limit(now: clock.now)) }
            case .close:
                waiters.value.isOpen = false
            case .complete(let result):
                limit.cancel()
                pause.cancel()
                let completions = waiters.value.completions
                waiters.value = AlertWaiters(isOpen: false)
                for completion in completions { completion(result) }
            }
        }
    }

    /// Whether the alert may be joined: it neither is over nor is about to be. Read inside transitions.
    var isOpen: Bool { waiters.value.isOpen }

    /// Adds a completion for the end, inside a transition, as it runs; false if the alert is ending.
    @discardableResult
    func join(_ completion: @escaping @Sendable (AlertResult) -> Void) -> Bool {
        if isOpen { waiters.value.completions.append(completion) }
        return isOpen
    }

    func start(limit: Duration?) {
        let plan = AlertMachine.Plan(
            way: kind.way, limit: limit, pause: max(kind.pause, .zero), hasSound: round.hasSound,
            missingMotor: sounds.engine.missingMotor)
        runner.core.transition {
            runner.send(.start(plan, sounds.engine.player.rules, now: sounds.engine.clock.now))
        }
    }

    func rulesChanged() {
        runner.send(.rules(sounds.engine.player.rules, now: sounds.engine.clock.now))
    }

    /// Stops the alert: motor and sound at once. One that is over stays so.
    package func stop(because cause: SoundOutcome.StopCause) {
        runner.core.transition {
            waiters.value.isOpen = false
            runner.send(.stop(cause, now: sounds.engine.clock.now))
        }
    }
}

/// The completions that wait for the end of an alert, and whether it takes more.
private struct AlertWaiters: Sendable {
    var completions: [@Sendable (AlertResult) -> Void] = []
    var isOpen = true
}

/// The rounds of an alert: its sound, decoded once and kept, and the call that is the present round.
// SAFETY: used inside transitions of the core alone, which makes one at a time.
private final class AlertRound: @unchecked Sendable {
    private let sounds: SystemSoundServices
    private let order: SystemSoundOrder
    private let sound: KeptSound
    private var call: SystemSoundServices.Call?

    /// Whether the alert's ID has a sound.
    var hasSound: Bool { if case .none = order.source { false } else { true } }

    init(_ kind: Alerts.Kind, _ sounds: SystemSoundServices) {
        self.sounds = sounds
        var order = sounds.order(kind.sound, as: .alert)
        // The user's preferences about alerts hold for predefined vibrations too.
        order.request = .alert
        if let vibration = kind.vibration { order.pattern = vibration }
        order.kind = .alertRound
        self.order = order
        self.sound = KeptSound(order.source)
    }

    /// Why the sound can never be played; nil while it may be. If the system could not read its file, or the file ended too
    /// early, the round fails, and the next one tries again.
    var unplayable: RingerError? { if case .failure(let error)? = sound.result { error } else { nil } }

    /// Begins a round.
    func begin(_ parts: AlertMachine.Parts, completion: @escaping @Sendable (SystemSoundResult) -> Void) {
        var round = order
        round.source = parts.sound ? .kept(sound) : .none
        if !parts.vibration { round.pattern = nil }
        let call = SystemSoundServices.Call(id: sounds.engine.player.reserve())
        self.call = call
        sounds.begin(call, round, whenOver: completion)
    }

    func stop(because cause: SoundOutcome.StopCause) {
        if let call { sounds.stop(call, because: cause) }
    }
}
