/// The rules between system sounds: one is heard at a time, one vibration is felt at a time, and each call ends once.
///
/// ``SystemSoundQueue`` says which call has the speaker, and which has the motor. A sound that is replaced is stopped before
/// the next one starts: a PCM that does not mix would refuse the second. What is neither heard nor felt leaves the
/// others alone.
struct SystemSoundMachine: StateMachine {
    typealias Number = UInt64

    enum Event: Sendable {
        case play(SystemSoundAttempt, now: MonotonicTime)
        /// The sound of a call was decoded, or cannot be.
        case loaded(Number, SoundSource.Loaded, now: MonotonicTime)
        case soundEnded(Number, SoundResult)
        case vibrationEnded(Number, SoundOutcome, now: MonotonicTime)
        /// The rules changed before the vibration could begin.
        case vibrationForbidden(Number, now: MonotonicTime)
        case stop(Number, SoundOutcome.StopCause, now: MonotonicTime)
        /// Stops every call that is meant.
        case stopAll(SoundOutcome.StopCause, now: MonotonicTime, where: @Sendable (SystemSoundQueue.Sound) -> Bool)
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
        /// Complete the call, and free its samples outside of the lock.
        case complete(SystemSoundAttempt)
        case report(DeviceEvent)
    }

    /// The motor rests so long between two system vibrations, so that each is felt for itself.
    static let rest = VibrationSequencer.shortestRest

    private(set) var calls: [Number: SystemSoundAttempt] = [:]
    /// The newest call whose sound asked for the speaker, and would have replaced those before it.
    private(set) var newest: Number = 0
    private(set) var speaker = SystemSoundQueue()
    private(set) var motor = SystemSoundQueue()
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
        calls[number].map { $0.isLoading && $0.heard == .waiting } ?? false
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        switch event {
        case .play(let attempt, let now):
            play(attempt, now, &actions)
        case .loaded(let number, let sound, let now):
            loaded(number, sound, now, &actions)
        case .soundEnded(let number, let sound):
            calls[number]?.result.startedAt = sound.startedAt
            calls[number]?.result.position = sound.position
            soundIsOver(number, sound.outcome, sound.endedAt, &actions)
        case .vibrationEnded(let number, let end, let now):
            calls[number]?.result.vibrated = end.isFelt
            vibrationIsOver(number, end, now, &actions)
        case .vibrationForbidden(let number, let now):
            vibrationIsOver(number, .stopped(.caller), now, &actions)
        case .stop(let number, let cause, let now):
            stop(number, cause, now, &actions)
        case .stopAll(let cause, let now, let isMeant):
            for number in calls.keys.sorted() {
                if let call = calls[number], isMeant(call.sound) { stop(number, cause, now, &actions) }
            }
        case .rules(let rules, let now):
            for number in calls.keys.sorted() { obey(rules, number, now, &actions) }
        case .timer(let number, let now):
            timerIsDue(number, now, &actions)
        }
    }

    // MARK: - Beginning

    private mutating func play(_ new: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]) {
        var call = new
        call.heard = call.isHeard ? .waiting : .none
        call.felt = call.isFelt ? .waiting : .none
        calls[call.number] = call
        if call.isLoading {
            // So many calls of a sound wait for the speaker at most, and so many for its decoding.
            let before = calls.keys.filter { isLoading($0) && calls[$0]?.sound == call.sound }.sorted()
            if before.count > SystemSoundQueue.mostWaiting {
                endWaitingSound(before[0], .stopped(.replaced), now, &actions)
            }
        } else {
            begin(call.number, now, &actions)
        }
        if call.isFelt { requestMotor(call, now, &actions) }
        completeIfOver(call.number, now, &actions)
    }

    private mutating func loaded(
        _ number: Number, _ sound: SoundSource.Loaded, _ now: MonotonicTime,
        _ actions: inout [Action]
    ) {
        guard isLoading(number), var call = calls[number] else { return }
        call.take(sound)
        if !call.isHeard { call.heard = .none }
        calls[number] = call
        // A later sound, which began meanwhile, would have replaced it.
        if newest > number { endWaitingSound(number, .stopped(.replaced), now, &actions) }
        begin(number, now, &actions)
        completeIfOver(number, now, &actions)
    }

    /// Begins what is heard of a call, whose sound is decoded where it has one.
    private mutating func begin(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let call = calls[number], call.completesAt == nil else { return }
        let requestedAt = call.result.requestedAt
        if !call.isHeard, call.sound.kind != .rehearsal {
            // The player reports the decisions about sounds that it is given.
            actions.append(.report(.decided(call.decision, call.request, sound: number, at: requestedAt)))
        }
        if let fallback = call.result.fallback {
            actions.append(.report(.fallback(fallback, sound: number, at: requestedAt)))
        }
        if call.heard == .waiting { requestSpeaker(call, now, &actions) }
    }

    private mutating func requestSpeaker(
        _ call: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if call.replacesLoading { newest = max(newest, call.number) }
        let replaced = speaker.request(call.number, call.sound, isFromCompletion: call.isFromCompletion)
        if let replaced, replaced == sounding {
            actions.append(.stopSound(replaced, .replaced))
        } else if let replaced {
            endWaitingSound(replaced, .stopped(.replaced), now, &actions)
        }
        startSound(&actions)
    }

    /// Starts the sound of the call that owns the speaker, where no other sound is being stopped.
    private mutating func startSound(_ actions: inout [Action]) {
        guard sounding == nil, let number = speaker.owner, let call = calls[number], call.heard == .waiting,
            let samples = call.samples
        else { return }
        sounding = number
        calls[number]?.heard = .running
        let terms = SoundTerms(request: call.request, outlivesProcess: call.outlivesProcess)
        actions.append(.startSound(number, samples, terms))
    }

    private mutating func requestMotor(
        _ call: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        let replaced = motor.request(call.number, call.sound, isFromCompletion: call.isFromCompletion)
        let isTurning = replaced != nil && replaced == vibrating
        if isTurning {
            // The vibrator ends that one as replaced, and the motor turns on.
            vibrating = nil
        } else if let replaced {
            endWaitingVibration(replaced, .stopped(.replaced), now, &actions)
        }
        if motor.owner == call.number { startVibration(now, &actions, afterRest: !isTurning) }
    }

    /// Starts the vibration of the call that owns the motor, where no other vibration is being stopped; as soon as the
    /// motor has rested.
    private mutating func startVibration(
        _ now: MonotonicTime, _ actions: inout [Action], afterRest: Bool = true
    ) {
        guard vibrating == nil, let number = motor.owner, let call = calls[number], call.felt == .waiting,
            let pattern = call.pattern
        else { return }
        if afterRest, let restedAt, restedAt > now {
            actions.append(.schedule(number, at: restedAt))
            return
        }
        vibrating = number
        calls[number]?.felt = .running
        actions.append(.startVibration(number, pattern, call.request))
    }

    private mutating func timerIsDue(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let call = calls[number], let time = call.completesAt {
            if time <= now { complete(call, now, &actions) }
        } else if motor.owner == number {
            startVibration(now, &actions)
        }
    }

    // MARK: - Ending

    private mutating func soundIsOver(
        _ number: Number, _ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard calls[number] != nil else { return }
        calls[number]?.heard = .over
        calls[number]?.result.outcome = outcome
        if sounding == number { sounding = nil }
        speaker.release(number)
        startSound(&actions)
        completeIfOver(number, now, &actions)
    }

    private mutating func vibrationIsOver(
        _ number: Number, _ end: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard var call = calls[number] else { return }
        if vibrating == number {
            vibrating = nil
            if call.result.vibrated { restedAt = now + Self.rest }
        }
        call.felt = .over
        call.result.vibration = end
        if call.request == .vibration {
            call.result.outcome = end == .stopped(.caller) ? .stopped(call.stopCause ?? .caller) : end
        }
        calls[number] = call
        motor.release(number)
        startVibration(now, &actions)
        completeIfOver(number, now, &actions)
    }

    /// Stops what the rules forbid. The player has stopped sounds that play.
    private mutating func obey(
        _ rules: PlayerRules, _ number: Number, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let call = calls[number] else { return }
        let decision = rules.decide(call.request)
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
        if call.heard == .running {
            actions.append(.stopSound(number, cause))
            // The next sound waits until this one has stopped, but does not replace it.
            speaker.release(number)
        }
        endWaitingSound(number, .stopped(cause), now, &actions)
    }

    private mutating func stopVibration(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        if calls[number]?.felt == .running {
            actions.append(.stopVibration(number))
            motor.release(number)
        }
        endWaitingVibration(number, .stopped(.caller), now, &actions)
    }

    /// Ends a sound that has not started; does nothing to any other.
    private mutating func endWaitingSound(
        _ number: Number, _ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard calls[number]?.heard == .waiting else { return }
        actions.append(.report(.soundEnded(outcome, sound: number, at: now)))
        soundIsOver(number, outcome, now, &actions)
    }

    /// Ends a vibration that has not begun; does nothing to any other.
    private mutating func endWaitingVibration(
        _ number: Number, _ end: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if calls[number]?.felt == .waiting { vibrationIsOver(number, end, now, &actions) }
    }

    /// Completes a call of which all is over; later where it is a round of a loop that comes to nothing.
    private mutating func completeIfOver(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let call = calls[number], call.completesAt == nil, !call.heard.isUnderWay, !call.felt.isUnderWay
        else { return }
        guard call.result.cameToNothing else {
            pace.reset(call.sound)
            return complete(call, now, &actions)
        }
        let time = pace.completion(
            of: call.sound, requestedAt: call.result.requestedAt, isFromCompletion: call.isFromCompletion, now: now)
        if time <= now { return complete(call, now, &actions) }
        calls[number]?.completesAt = time
        actions.append(.schedule(number, at: time))
    }

    private mutating func complete(_ over: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]) {
        var call = over
        calls[call.number] = nil
        call.result.endedAt = now
        // The end of a sound that was heard, or waited, was reported when it came.
        if call.heard == .none, call.sound.kind != .rehearsal {
            actions.append(.report(.soundEnded(call.result.outcome, sound: call.number, at: now)))
        }
        actions.append(.complete(call))
    }
}

extension SoundOutcome {
    /// Whether the motor turned, of a vibration.
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
