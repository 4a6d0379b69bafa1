/// The rules between system sounds: one is heard at a time, one vibration is felt at a time, and each call ends once.
///
/// ``OutputQueue`` says which call has the speaker, and which has the motor. A sound that is replaced is stopped before
/// the next one starts: a PCM that does not mix would refuse the second. What is neither heard nor felt leaves the
/// others alone.
struct SystemSoundMachine: StateMachine {
    typealias Number = UInt64

    enum Event: Sendable {
        case play(SystemSoundAttempt, now: MonotonicTime)
        /// The sound of a call was decoded, or cannot be.
        case loaded(Number, SoundSource.Loaded, now: MonotonicTime)
        case soundEnded(Number, SoundResult)
        case vibrationEnded(Number, VibrationEnd, now: MonotonicTime)
        /// The rules changed before the vibration could begin.
        case vibrationForbidden(Number, now: MonotonicTime)
        case stop(Number, SoundOutcome.StopCause, now: MonotonicTime)
        /// Stops every call that is meant.
        case stopAll(SoundOutcome.StopCause, now: MonotonicTime, where: @Sendable (OutputQueue.Sound) -> Bool)
        case rules(PlayerRules, now: MonotonicTime)
        /// The timer of this call is due: the motor has rested, or its completion was delayed.
        case timer(Number, now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        case startSound(Number, PCMBuffer, SoundTerms)
        case stopSound(Number, SoundOutcome.StopCause)
        /// Start the motor, unless the rules forbid the request by now; then send `.vibrationForbidden`.
        case startVibration(Number, VibrationPattern, SoundRequest)
        case stopVibration(Number)
        /// Send `.timer` with this number at this time.
        case schedule(Number, at: MonotonicTime)
        case complete(Number, SystemSoundResult)
        /// Free the samples outside of the lock.
        case release(PCMBuffer)
        case report(DeviceEvent)
    }

    /// How far the heard or the felt part of a call is.
    enum Part<End: Sendable> {
        case none
        /// It waits for the speaker or the motor.
        case waiting
        case running
        case over(End)

        var isUnderWay: Bool {
            switch self {
            case .waiting, .running: true
            case .none, .over: false
            }
        }

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
        var isRunning: Bool { if case .running = self { true } else { false } }
    }

    struct Call {
        var attempt: SystemSoundAttempt
        var sound = Part<SoundResult>.none
        var vibration = Part<VibrationEnd>.none
        /// Whether the motor turned for it.
        var isFelt = false
        var stopCause: SoundOutcome.StopCause?
        /// All of it is over, and it completes at this time.
        var completesAt: MonotonicTime?
    }

    /// The motor rests so long between two system vibrations, so that each is felt for itself.
    static let rest = VibrationSequencer.shortestRest

    private(set) var calls: [Number: Call] = [:]
    /// The newest call whose sound asked for the speaker, and would have replaced those before it.
    private(set) var newest: Number = 0
    private(set) var speaker = OutputQueue()
    private(set) var motor = OutputQueue()
    /// The call whose sound the player has. It is being stopped where another call owns the speaker.
    private(set) var sounding: Number?
    /// The call whose vibration the vibrator has.
    private(set) var vibrating: Number?
    private(set) var restedAt: MonotonicTime?
    private(set) var pace = LoopPace()

    /// How many calls are not over.
    var count: Int { calls.count }

    /// Whether the call waits for its sound to be decoded.
    func isLoading(_ number: Number) -> Bool {
        calls[number].map { $0.attempt.isLoading && $0.sound.isWaiting } ?? false
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .play(let attempt, let now):
            play(attempt, now, &actions)
        case .loaded(let number, let sound, let now):
            loaded(number, sound, now, &actions)
        case .soundEnded(let number, let result):
            soundEnded(number, result, &actions)
        case .vibrationEnded(let number, let end, let now):
            calls[number]?.isFelt = end.isFelt
            vibrationIsOver(number, end, now, &actions)
        case .vibrationForbidden(let number, let now):
            vibrationIsOver(number, .stopped, now, &actions)
        case .stop(let number, let cause, let now):
            stop(number, cause, now, &actions)
        case .stopAll(let cause, let now, let isMeant):
            for number in calls.keys.sorted() {
                if let call = calls[number], isMeant(call.attempt.sound) { stop(number, cause, now, &actions) }
            }
        case .rules(let rules, let now):
            for number in calls.keys.sorted() { obey(rules, number, now, &actions) }
        case .timer(let number, let now):
            timerIsDue(number, now, &actions)
        }
    }

    // MARK: - Beginning

    private mutating func play(_ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]) {
        let number = attempt.number
        calls[number] = Call(
            attempt: attempt, sound: attempt.isHeard ? .waiting : .none, vibration: attempt.isFelt ? .waiting : .none)
        guard attempt.isLoading else { return begin(number, now, &actions) }
        // So many calls of a sound wait for the speaker at most, and so many for its decoding.
        let before = calls.keys.filter { isLoading($0) && calls[$0]?.attempt.sound == attempt.sound }.sorted()
        if before.count > OutputQueue.mostWaiting { endWaitingSound(before[0], .stopped(.replaced), now, &actions) }
        if attempt.isFelt { requestMotor(attempt, now, &actions) }
    }

    private mutating func loaded(
        _ number: Number, _ sound: SoundSource.Loaded, _ now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        guard isLoading(number), var call = calls[number] else { return }
        call.attempt.take(sound)
        if !call.attempt.isHeard { call.sound = .none }
        calls[number] = call
        // A later sound, which began meanwhile, would have replaced it.
        if newest > number { endWaitingSound(number, .stopped(.replaced), now, &actions) }
        begin(number, now, &actions, isFelt: false)
    }

    private mutating func begin(
        _ number: Number, _ now: MonotonicTime, _ actions: inout [Action], isFelt: Bool = true
    ) {
        guard let call = calls[number], call.completesAt == nil else { return }
        let attempt = call.attempt
        if !attempt.isHeard {
            // The player reports the decisions about sounds that it is given.
            actions.append(
                .report(.decided(attempt.decision, attempt.request, sound: number, at: attempt.requestedAt)))
        }
        if let fallback = attempt.fallback {
            actions.append(.report(.fallback(fallback, sound: number, at: attempt.requestedAt)))
        }
        if call.sound.isWaiting { requestSpeaker(attempt, now, &actions) }
        if call.vibration.isWaiting && isFelt { requestMotor(attempt, now, &actions) }
        completeIfOver(number, now, &actions)
    }

    private mutating func requestSpeaker(
        _ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if attempt.replacesLoading { newest = max(newest, attempt.number) }
        let replaced = speaker.request(attempt.number, attempt.sound, isFromCompletion: attempt.isFromCompletion)
        if let replaced, replaced == sounding {
            actions.append(.stopSound(replaced, .replaced))
        } else if let replaced {
            endWaitingSound(replaced, .stopped(.replaced), now, &actions)
        }
        startSound(&actions)
    }

    /// Starts the sound of the call that owns the speaker, where no other sound is being stopped.
    private mutating func startSound(_ actions: inout [Action]) {
        guard sounding == nil, let number = speaker.owner, let call = calls[number], call.sound.isWaiting,
            let samples = call.attempt.samples
        else { return }
        sounding = number
        calls[number]?.sound = .running
        actions.append(
            .startSound(
                number, samples,
                SoundTerms(request: call.attempt.request, outlivesProcess: call.attempt.outlivesProcess)))
    }

    private mutating func requestMotor(
        _ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        let replaced = motor.request(attempt.number, attempt.sound, isFromCompletion: attempt.isFromCompletion)
        let isTurning = replaced != nil && replaced == vibrating
        if isTurning {
            // The vibrator ends that one as replaced, and the motor turns on.
            vibrating = nil
        } else if let replaced {
            endWaitingVibration(replaced, .replaced, now, &actions)
        }
        if motor.owner == attempt.number { startVibration(now, &actions, afterRest: !isTurning) }
    }

    /// Starts the vibration of the call that owns the motor, where no other vibration is being stopped; as soon as the
    /// motor has rested.
    private mutating func startVibration(
        _ now: MonotonicTime, _ actions: inout [Action], afterRest: Bool = true
    ) {
        guard vibrating == nil, let number = motor.owner, let call = calls[number], call.vibration.isWaiting,
            let pattern = call.attempt.pattern
        else { return }
        if afterRest, let restedAt, restedAt > now {
            actions.append(.schedule(number, at: restedAt))
            return
        }
        vibrating = number
        calls[number]?.vibration = .running
        actions.append(.startVibration(number, pattern, call.attempt.request))
    }

    private mutating func timerIsDue(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let call = calls[number], let time = call.completesAt {
            if time <= now { complete(call, now, &actions) }
        } else if motor.owner == number {
            startVibration(now, &actions)
        }
    }

    // MARK: - Ending

    private mutating func soundEnded(_ number: Number, _ result: SoundResult, _ actions: inout [Action]) {
        guard calls[number] != nil else { return }
        calls[number]?.sound = .over(result)
        if sounding == number { sounding = nil }
        speaker.release(number)
        startSound(&actions)
        completeIfOver(number, result.endedAt, &actions)
    }

    private mutating func vibrationIsOver(
        _ number: Number, _ end: VibrationEnd, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard calls[number] != nil else { return }
        if vibrating == number {
            vibrating = nil
            if calls[number]?.isFelt == true { restedAt = now + Self.rest }
        }
        calls[number]?.vibration = .over(end)
        motor.release(number)
        startVibration(now, &actions)
        completeIfOver(number, now, &actions)
    }

    /// Stops what the rules forbid. The player has stopped sounds that play.
    private mutating func obey(
        _ rules: PlayerRules, _ number: Number, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let call = calls[number] else { return }
        let decision = rules.decide(call.attempt.request)
        if !decision.vibrates { stopVibration(number, now, &actions) }
        if !decision.isHeard { endWaitingSound(number, .silenced(by: decision.reason), now, &actions) }
    }

    private mutating func stop(
        _ number: Number, _ cause: SoundOutcome.StopCause, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let call = calls[number] else { return }
        if call.completesAt != nil { return complete(call, now, &actions) }
        if call.stopCause == nil { calls[number]?.stopCause = cause }
        // The motor first: it must not outlast a stop.
        stopVibration(number, now, &actions)
        if call.sound.isRunning {
            actions.append(.stopSound(number, cause))
            // The next sound waits until this one has stopped, but does not replace it.
            speaker.release(number)
        }
        endWaitingSound(number, .stopped(cause), now, &actions)
    }

    private mutating func stopVibration(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        if calls[number]?.vibration.isRunning == true {
            actions.append(.stopVibration(number))
            motor.release(number)
        }
        endWaitingVibration(number, .stopped, now, &actions)
    }

    /// Ends a sound that has not started; does nothing to any other.
    private mutating func endWaitingSound(
        _ number: Number, _ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let call = calls[number], call.sound.isWaiting else { return }
        actions.append(.report(.soundEnded(outcome, sound: number, at: now)))
        let result = SoundResult(
            unplayed: outcome, frames: call.attempt.frames, requestedAt: call.attempt.requestedAt, endedAt: now)
        soundEnded(number, result, &actions)
    }

    /// Ends a vibration that has not begun; does nothing to any other.
    private mutating func endWaitingVibration(
        _ number: Number, _ end: VibrationEnd, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if calls[number]?.vibration.isWaiting == true { vibrationIsOver(number, end, now, &actions) }
    }

    /// Completes a call of which all is over; later where it is a round of a loop that comes to nothing.
    private mutating func completeIfOver(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let call = calls[number], call.completesAt == nil, !call.sound.isUnderWay, !call.vibration.isUnderWay
        else { return }
        guard result(of: call, at: now).cameToNothing else {
            pace.reset(call.attempt.sound)
            return complete(call, now, &actions)
        }
        let time = pace.completion(
            of: call.attempt.sound, requestedAt: call.attempt.requestedAt,
            isFromCompletion: call.attempt.isFromCompletion, now: now)
        if time <= now { return complete(call, now, &actions) }
        calls[number]?.completesAt = time
        actions.append(.schedule(number, at: time))
    }

    private mutating func complete(_ call: Call, _ now: MonotonicTime, _ actions: inout [Action]) {
        let number = call.attempt.number
        calls[number] = nil
        let result = result(of: call, at: now)
        // The end of a sound that was heard, or waited, was reported when it came.
        if case .none = call.sound {
            actions.append(.report(.soundEnded(result.outcome, sound: number, at: now)))
        }
        actions.append(.complete(number, result))
        if let samples = call.attempt.samples { actions.append(.release(samples)) }
    }

    private func result(of call: Call, at now: MonotonicTime) -> SystemSoundResult {
        let attempt = call.attempt
        var result = SystemSoundResult(
            sound: attempt.sound.id, outcome: attempt.outcomeAtOnce, vibration: nil, vibrated: call.isFelt,
            fallback: attempt.fallback, requestedAt: attempt.requestedAt, startedAt: nil, endedAt: now,
            position: StreamPosition(played: 0, total: attempt.frames))
        if case .over(let end) = call.vibration { result.vibration = end }
        if case .over(let sound) = call.sound {
            result.outcome = sound.outcome
            result.startedAt = sound.startedAt
            result.position = sound.position
        } else if attempt.request == .vibration, let end = result.vibration {
            result.outcome = SoundOutcome(end, stoppedBy: call.stopCause)
        }
        return result
    }
}

extension VibrationEnd {
    /// Whether the motor turned.
    fileprivate var isFelt: Bool { if case .failed = self { false } else { true } }
}

extension SystemSoundResult {
    /// Whether nothing was heard or felt, or next to nothing of a sound that another replaced: a loop of such rounds is
    /// slowed down.
    fileprivate var cameToNothing: Bool {
        switch outcome {
        case .finished: startedAt == nil && !vibrated
        case .silenced, .failed: !vibrated
        case .stopped(let cause): cause == .replaced
        }
    }
}

extension SoundOutcome {
    /// The outcome of a call that is a vibration.
    fileprivate init(_ end: VibrationEnd, stoppedBy cause: StopCause?) {
        self =
            switch end {
            case .finished: .finished
            case .stopped: .stopped(cause ?? .caller)
            case .replaced: .stopped(.replaced)
            case .limited: .stopped(.limited)
            case .failed(let error): .failed(error)
            }
    }
}
