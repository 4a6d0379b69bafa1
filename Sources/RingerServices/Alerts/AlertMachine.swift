/// How an alert goes on: rounds of sound, vibration or both, each begun when the one before is over, as the rules allow
/// now; until it is stopped or its time is over. A pure value.
struct AlertMachine: StateMachine {
    /// What a round consists of.
    struct Parts: Sendable, Hashable {
        var sound: Bool
        var vibration: Bool

        static let none = Parts(sound: false, vibration: false)
    }

    enum Event: Sendable {
        case start(AlertWay, limit: Duration, PlayerRules, now: MonotonicTime)
        /// The round is over; the rules are these then.
        case roundEnded(SystemSoundResult, PlayerRules, now: MonotonicTime)
        case rules(PlayerRules, now: MonotonicTime)
        case stop(SoundOutcome.StopCause, now: MonotonicTime)
        /// Its time is over.
        case limit(now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        /// Begin a round, and send `.roundEnded` when it is over. A patient one waits for other sounds to end.
        case play(Parts, isPatient: Bool)
        /// Stop the round at once; it ends all the same.
        case stopRound(SoundOutcome.StopCause)
        /// Send `.limit` at this time.
        case setLimit(at: MonotonicTime)
        case complete(AlertResult)
    }

    private enum Phase {
        /// It was not begun, or is over.
        case idle
        /// A round runs.
        case round(Parts)
        /// A round was stopped, to be followed by another, or by the end.
        case stopping
        /// The rules allow nothing now.
        case held
    }

    private var phase = Phase.idle
    private var way = AlertWay.none
    private var rules = PlayerRules()
    private var ending: AlertOutcome?
    private var result: AlertResult?

    /// What the alert would do now.
    private var wanted: Parts {
        let decision = rules.decide(.alert)
        return Parts(
            sound: way.isHeard && decision.isHeard && result?.soundError == nil,
            vibration: way.isFelt && decision.vibrates)
    }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .start(let way, let limit, let rules, let now):
            guard case .idle = phase, result == nil else { break }
            self.way = way
            self.rules = rules
            result = AlertResult(
                outcome: .timedOut, rounds: 0, sounded: false, vibrated: false, startedAt: now, endedAt: now)
            actions.append(.setLimit(at: now + limit))
            beginRound(isPatient: false, &actions)
        case .roundEnded(let round, let rules, let now):
            self.rules = rules
            roundEnded(round, now, &actions)
        case .rules(let rules, _):
            self.rules = rules
            rulesChanged(&actions)
        case .stop(let cause, let now):
            end(.stopped(cause), now, &actions)
        case .limit(let now):
            end(.timedOut, now, &actions)
        }
        return actions
    }

    private mutating func beginRound(isPatient: Bool, _ actions: inout [Action]) {
        let parts = wanted
        guard parts != .none else {
            phase = .held
            return
        }
        phase = .round(parts)
        result?.rounds += 1
        actions.append(.play(parts, isPatient: isPatient))
    }

    private mutating func rulesChanged(_ actions: inout [Action]) {
        switch phase {
        case .held:
            beginRound(isPatient: false, &actions)
        case .round(var parts):
            let wanted = wanted
            if wanted.sound && !parts.sound {
                // It may ring again: what it does instead ends now.
                phase = .stopping
                actions.append(.stopRound(.replaced))
                return
            }
            // A sound that is not allowed any more was stopped; the vibration beside it goes on, and the next round
            // follows the rules.
            if !wanted.sound { parts.sound = false }
            phase = .round(parts)
        case .idle, .stopping:
            break
        }
    }

    private mutating func roundEnded(_ round: SystemSoundResult, _ now: MonotonicTime, _ actions: inout [Action]) {
        switch phase {
        case .idle, .held: return
        case .round, .stopping: break
        }
        let isRingingAgain = if case .stopping = phase { true } else { false }
        if round.startedAt != nil { result?.sounded = true }
        if round.vibrated { result?.vibrated = true }
        if let fallback = round.fallback { result?.fallback = fallback }
        phase = .stopping
        if let ending { return complete(ending, now, &actions) }
        switch round.outcome {
        case .stopped(.closed): return complete(.stopped(.closed), now, &actions)
        case .failed(let error):
            result?.soundError = error
            // The motor alone goes on, where it works.
            if !round.vibrated { return complete(.failed(error), now, &actions) }
        case .finished, .silenced, .stopped: break
        }
        let hasHappened = round.startedAt != nil || round.vibrated
        if !hasHappened, case .failed(let error)? = round.vibration {
            return complete(.failed(error), now, &actions)
        }
        if !hasHappened, round.outcome == .finished {
            // A sound without frames would be begun again and again for nothing.
            phase = .held
            return
        }
        // Another system sound took the place of ours: ours comes back when that one is over.
        beginRound(isPatient: !isRingingAgain && round.outcome == .stopped(.replaced), &actions)
    }

    private mutating func end(_ outcome: AlertOutcome, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard ending == nil else { return }
        switch phase {
        case .idle: break
        case .held: complete(outcome, now, &actions)
        case .round:
            ending = outcome
            phase = .stopping
            actions.append(.stopRound(outcome.cause))
        case .stopping:
            ending = outcome
        }
    }

    private mutating func complete(_ outcome: AlertOutcome, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard var result else { return }
        phase = .idle
        result.outcome = outcome
        result.endedAt = now
        self.result = result
        actions.append(.complete(result))
    }
}

extension AlertOutcome {
    /// Why the round that runs then is stopped.
    fileprivate var cause: SoundOutcome.StopCause {
        if case .stopped(let cause) = self { cause } else { .limited }
    }
}
