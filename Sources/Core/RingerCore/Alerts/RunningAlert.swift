/// One alert, from its start to its end: carries out the actions of its ``AlertMachine``. Any thread.
package final class RunningAlert: Sendable {
    let identity: Alerts.Identity
    private let sounds: SystemSoundServices
    /// Those that wait for the end.
    private let completions = TransitionState<[@Sendable (AlertResult) -> Void]>([])
    let runner: StateMachineRunner<AlertMachine>

    init(_ identity: Alerts.Identity, limit: Duration?, _ sounds: SystemSoundServices) {
        self.identity = identity
        self.sounds = sounds
        let completions = completions
        let (player, clock, core) = (sounds.engine.player, sounds.engine.clock, sounds.engine.core)
        var order = sounds.order(identity.sound, as: .alert)
        // The user's preferences about alerts hold for predefined vibrations too.
        order.request = identity.kind.request
        order.pattern = identity.vibration ?? order.pattern
        order.kind = .alertRound
        // Decoded once, for all rounds.
        let source = TransitionState(order.source)
        // If the system could not read the file, or it ended too early, the next round tries again.
        let keep: @Sendable (SoundSource.Loaded) -> Void = { if $0.isFinal { source.value = .known($0) } }
        order.keep = keep
        let call = TransitionState<SystemSoundServices.Call?>(nil)
        let (limitTimer, pauseTimer) = (TimerSlot(clock, core), TimerSlot(clock, core))
        let missingMotor = identity.way.isFelt ? sounds.engine.missingMotor : nil
        var hasSound = true
        if case .known(let known) = order.source { hasSound = known.sound != nil || known.error != nil }
        let plan = AlertMachine.Plan(
            request: order.request,
            parts: .init(
                sound: identity.way.isHeard && hasSound, vibration: identity.way.isFelt && missingMotor == nil),
            limit: limit, pause: max(identity.pause, .zero), missingMotor: missingMotor)
        runner = StateMachineRunner(AlertMachine(plan, now: clock.now), in: core) {
            [order] action, runner in
            switch action {
            case .play(let parts):
                var round = order
                round.source = parts.sound ? source.value : .known(.success(nil))
                if !parts.vibration { round.pattern = nil }
                let new = SystemSoundServices.Call(id: player.reserve())
                call.value = new
                let whenOver: @Sendable (SystemSoundAttempt) -> Void = { over in
                    var unplayable: RingerError?
                    if parts.sound, let loaded = over.loaded {
                        keep(loaded)
                        if loaded.isFinal { unplayable = loaded.error }
                    }
                    runner.send(.roundEnded(over.result, player.rules, unplayable: unplayable, now: clock.now))
                }
                sounds.begin(new, round, whenOver: whenOver)
            case .stopRound(let cause):
                if let call = call.value { sounds.stop(call, because: cause) }
            case .pause(let time):
                pauseTimer.set(at: time) {
                    core.transition { runner.send(.pauseIsOver(player.rules, now: clock.now)) }
                }
            case .setLimit(let time):
                limitTimer.set(at: time) { runner.send(.limit(now: clock.now)) }
            case .complete(let result):
                limitTimer.cancel()
                pauseTimer.cancel()
                let waiting = completions.value
                completions.value = []
                for completion in waiting { completion(result) }
            }
        }
    }

    /// Whether the alert may be joined: it neither is over nor is about to be.
    var isOpen: Bool { runner.read { $0.isOpen } }

    /// Adds a completion for the end of an alert that is open, inside a transition, as it runs.
    func join(_ completion: @escaping @Sendable (AlertResult) -> Void) {
        completions.value.append(completion)
    }

    /// Begins the alert, inside a transition.
    func start() {
        runner.send(.start(sounds.engine.player.rules, now: sounds.engine.clock.now))
    }

    func rulesChanged() {
        runner.send(.rules(sounds.engine.player.rules, now: sounds.engine.clock.now))
    }

    /// Stops the alert: motor and sound at once. One that is over stays so.
    package func stop(because cause: SoundOutcome.StopCause) {
        runner.send(.stop(cause, now: sounds.engine.clock.now))
    }
}
