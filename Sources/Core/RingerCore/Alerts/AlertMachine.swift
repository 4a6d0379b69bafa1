/// How an alert goes on: rounds of sound, vibration or both, each begun when the one before is over, as the rules allow
/// then, until the alert is stopped or its time is over. A pure value.
struct AlertMachine: StateMachine {
    /// What the alert is to do.
    struct Plan: Sendable, Hashable {
        /// What its rounds are for the policy.
        var request = SoundRequest.alert
        /// What a round consists of where the rules allow everything.
        var parts = Parts(sound: true, vibration: true)
        /// How long it lasts at most; nil until it is stopped.
        var limit: Duration?
        /// From the end of a round to the next one.
        var pause = Duration.zero
        /// Why an alert that is to be felt cannot be; nil if there is a motor.
        var missingMotor: RingerError?
    }

    /// What a round consists of.
    struct Parts: Sendable, Hashable {
        var sound: Bool
        var vibration: Bool

        static let none = Parts(sound: false, vibration: false)
    }

    enum Event: Sendable {
        // The rules are always those in force.
        case start(PlayerRules, now: MonotonicTime)
        /// The round is over. `unplayable` is why its sound can never be played, if it cannot.
        case roundEnded(SystemSoundResult, PlayerRules, unplayable: RingerError?, now: MonotonicTime)
        case pauseIsOver(PlayerRules, now: MonotonicTime)
        /// The rules changed.
        case rules(PlayerRules, now: MonotonicTime)
        case stop(SoundOutcome.StopCause, now: MonotonicTime)
        /// The alert's time is over.
        case limit(now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        /// Begin a round, and send `.roundEnded` when it is over.
        case play(Parts)
        /// Stop the round at once; `.roundEnded` follows.
        case stopRound(SoundOutcome.StopCause)
        /// Send `.pauseIsOver` at this time.
        case pause(until: MonotonicTime)
        /// Send `.limit` at this time.
        case setLimit(at: MonotonicTime)
        case complete(AlertResult)
    }

    enum Phase {
        case notBegun
        /// A round runs, with a sound or without one.
        case round(sound: Bool)
        /// A round is being stopped; another one follows, or the end.
        case stopping
        /// Between two rounds.
        case pausing(until: MonotonicTime)
        /// The rules allow nothing now.
        case held
        /// Over, and completed later: another alert replaced it at once.
        case replaced
        case over
    }

    /// Rounds that fail are so far apart, from beginning to beginning. An alert that is replaced completes so long after
    /// its start at the earliest: two alerts whose owners restart them would take the whole processor.
    static let shortestFailure = LoopPace.interval

    private(set) var phase = Phase.notBegun
    /// Without a sound once that turned out to be unplayable.
    private(set) var plan: Plan
    private(set) var result: AlertResult
    private(set) var ending: SoundOutcome?
    /// Whether it completes late where it was replaced at once. Not where it was stopped besides: the device may close.
    private(set) var isPaced = true
    private(set) var roundBeganAt = MonotonicTime(nanoseconds: 0)
    private(set) var motorError: RingerError?

    /// An alert that was asked for at `now`.
    init(_ plan: Plan, now: MonotonicTime) {
        self.plan = plan
        result = AlertResult(
            outcome: .stopped(.limited), rounds: 0, sounded: false, vibrated: false, startedAt: now, endedAt: now)
    }

    /// Whether it goes on: a start of the same alert begins another one once it does not.
    var isOpen: Bool { if case .over = phase { false } else { ending == nil } }

    /// What a round that begins under these rules consists of.
    private func wanted(_ rules: PlayerRules) -> Parts {
        let decision = rules.decide(plan.request)
        return Parts(sound: plan.parts.sound && decision.isHeard, vibration: plan.parts.vibration && decision.vibrates)
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .start(let rules, let now):
            start(rules, now, &actions)
        case .roundEnded(let round, let rules, let unplayable, let now):
            roundEnded(round, rules, unplayable, now, &actions)
        case .pauseIsOver(let rules, let now):
            switch phase {
            case .pausing(let until) where until <= now: beginRound(rules, now, &actions)
            case .replaced: finish(&actions)
            default: break
            }
        case .rules(let rules, let now):
            rulesChanged(rules, now, &actions)
        case .stop(let cause, let now):
            end(.stopped(cause), now, &actions)
        case .limit(let now):
            end(.stopped(.limited), now, &actions)
        }
    }

    private mutating func start(_ rules: PlayerRules, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard case .notBegun = phase else { return }
        // It may have been stopped before it began.
        if let ending { return complete(ending, now, &actions) }
        if !plan.parts.sound, let error = plan.missingMotor { return complete(.failed(error), now, &actions) }
        if let limit = plan.limit { actions.append(.setLimit(at: now + limit)) }
        beginRound(rules, now, &actions)
    }

    private mutating func beginRound(_ rules: PlayerRules, _ now: MonotonicTime, _ actions: inout [Action]) {
        let parts = wanted(rules)
        guard parts != .none else {
            phase = .held
            return
        }
        phase = .round(sound: parts.sound)
        roundBeganAt = now
        result.rounds += 1
        actions.append(.play(parts))
    }

    private mutating func rulesChanged(_ rules: PlayerRules, _ now: MonotonicTime, _ actions: inout [Action]) {
        switch phase {
        case .held:
            beginRound(rules, now, &actions)
        case .round(let hasSound):
            let maySound = wanted(rules).sound
            if maySound && !hasSound {
                // It may ring again: the round that only vibrates ends now.
                phase = .stopping
                actions.append(.stopRound(.replaced))
            } else {
                // The player stopped a sound that is forbidden now. The vibration beside it goes on, and the next round
                // follows the rules.
                phase = .round(sound: maySound)
            }
        case .notBegun, .stopping, .pausing, .replaced, .over:
            break
        }
    }

    private mutating func roundEnded(
        _ round: SystemSoundResult, _ rules: PlayerRules, _ unplayable: RingerError?, _ now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        let isRingingAgain: Bool
        switch phase {
        case .round: isRingingAgain = false
        case .stopping: isRingingAgain = true
        case .notBegun, .pausing, .held, .replaced, .over: return
        }
        note(round)
        if unplayable != nil { plan.parts.sound = false }
        // A round of which nothing could come was none.
        let isFruitless = unplayable != nil && !round.vibrated
        if isFruitless { result.rounds -= 1 }
        if let ending { return complete(ending, now, &actions) }
        if round.outcome == .stopped(.closed) { return complete(.stopped(.closed), now, &actions) }
        if let unplayable, !plan.parts.vibration { return complete(.failed(unplayable), now, &actions) }
        if isRingingAgain || isFruitless { return beginRound(rules, now, &actions) }
        if round.outcome == .finished, round.startedAt == nil, round.vibration == nil {
            // A sound without frames would be begun again and again for nothing.
            phase = .held
            return
        }
        var next = now + plan.pause
        let cameToNothing = round.startedAt == nil && !round.vibrated
        if round.outcome != .finished || cameToNothing { next = max(next, roundBeganAt + Self.shortestFailure) }
        // A file system that does not answer would be asked for nothing; a file that has been cut off for long is no longer being
        // rewritten.
        let isOld = now - result.startedAt >= SoundReadQueue.limit
        if case .failed(let error) = round.outcome, error.code == .timedOut || isOld && error.code == .soundIncomplete,
            !round.vibrated
        {
            next = max(next, roundBeganAt + SoundReadQueue.limit)
        }
        if next <= now { return beginRound(rules, now, &actions) }
        phase = .pausing(until: next)
        actions.append(.pause(until: next))
    }

    /// Notes what was heard and felt of a round, and what failed.
    private mutating func note(_ round: SystemSoundResult) {
        if round.vibrated { result.vibrated = true }
        if let fallback = round.fallback { result.fallback = fallback }
        if round.startedAt != nil {
            result.sounded = true
            result.soundError = nil
        }
        if case .failed(let error) = round.outcome { result.soundError = error }
        if case .failed(let error)? = round.vibration { motorError = error }
    }

    private mutating func end(_ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]) {
        if case .replaced = phase { return finish(&actions) }
        guard ending == nil else {
            isPaced = false
            return
        }
        ending = outcome
        switch phase {
        case .held, .pausing:
            complete(outcome, now, &actions)
        case .round:
            phase = .stopping
            actions.append(.stopRound(outcome.cause))
        case .notBegun, .stopping, .replaced, .over:
            break
        }
    }

    private mutating func complete(_ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]) {
        result.outcome = outcome
        if !result.sounded, !result.vibrated, let error = result.soundError ?? motorError {
            result.outcome = .failed(error)
        }
        result.endedAt = now
        let earliest = result.startedAt + Self.shortestFailure
        guard isPaced, outcome == .stopped(.replaced), now < earliest else { return finish(&actions) }
        phase = .replaced
        actions.append(.pause(until: earliest))
    }

    private mutating func finish(_ actions: inout [Action]) {
        phase = .over
        actions.append(.complete(result))
    }
}

extension SoundOutcome {
    /// Why the round that runs at the end is stopped.
    fileprivate var cause: SoundOutcome.StopCause {
        if case .stopped(let cause) = self { cause } else { .limited }
    }
}
