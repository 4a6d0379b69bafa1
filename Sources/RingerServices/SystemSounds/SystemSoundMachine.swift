/// The rules between system sounds: one is heard at a time, one vibration is felt at a time, and each call ends once.
///
/// A sound that is heard takes the place of the one before, which is stopped first: a device that plays one stream
/// would refuse the second. What is neither heard nor felt leaves the others alone.
struct SystemSoundMachine: StateMachine {
    typealias Number = UInt64
    typealias Client = UInt64

    enum Event: Sendable {
        case play(SystemSoundAttempt, now: MonotonicTime)
        case soundEnded(Number, SoundResult)
        case vibrationEnded(Number, VibrationEnd, now: MonotonicTime)
        case stop(Number, SoundOutcome.StopCause, now: MonotonicTime)
        /// Stops a client's every call for the ID.
        case stopSound(Client, SystemSoundID, SoundOutcome.StopCause, now: MonotonicTime)
        /// Stops a client's every call but those for these IDs.
        case stopClient(Client, SoundOutcome.StopCause, except: Set<SystemSoundID>, now: MonotonicTime)
        /// Stops every call.
        case stopAll(SoundOutcome.StopCause, now: MonotonicTime)
        case rules(PlayerRules, now: MonotonicTime)
        /// The timer of this number is due: the motor has rested, or a completion was held back.
        case timer(Number, now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        case startSound(Number, PCMBuffer, SoundRequest)
        case stopSound(Number, SoundOutcome.StopCause)
        case startVibration(Number, VibrationPattern)
        case stopVibration(Number)
        /// Send `.timer` with this number at this time.
        case schedule(Number, at: MonotonicTime)
        case complete(Number, SystemSoundResult)
        case report(DeviceEvent)
    }

    /// How far the heard or the felt part of a call is.
    private enum Part<End: Sendable> {
        case none
        case waiting
        case running
        case over(End)

        var isUnderWay: Bool {
            switch self {
            case .waiting, .running: true
            case .none, .over: false
            }
        }
    }

    private struct Call {
        var attempt: SystemSoundAttempt
        var sound = Part<SoundResult>.none
        var vibration = Part<VibrationEnd>.none
        var stopCause: SoundOutcome.StopCause?

        /// Whether another call took the place of any part of it.
        var isReplaced: Bool {
            if case .over(.replaced) = vibration { return true }
            if case .over(let result) = sound, result.outcome == .stopped(.replaced) { return true }
            return false
        }
    }

    /// The motor rests so long between two system vibrations, so that each is felt for itself.
    static let rest = VibrationSequencer.shortestRest
    /// A call that is made from a completion, and would complete at once, does so this much later: a loop that plays
    /// again in its completion takes turns with everything else, instead of standing still in time.
    static let pace = Duration.milliseconds(1)
    /// So many may complete at once within that time, which none but a clock that stands still lets them.
    static let longestBurst = 1000
    /// So many may take each other's place within that time: two loops would do it for ever.
    static let mostReplaced = 8

    private var calls: [Number: Call] = [:]
    /// The call whose sound plays or is being stopped.
    private var playing: Number?
    /// The call that takes its place.
    private var next: Number?
    /// Calls that wait their turn.
    private var patient: [Number] = []
    /// The call that turns the motor.
    private var vibrating: Number?
    /// The call that waits for the motor to have rested.
    private var resting: Number?
    private var restedAt: MonotonicTime?
    /// Calls whose completion is held back.
    private var heldBack: [Number: Call] = [:]
    /// How many calls completed at once, how many were replaced, and since when.
    private var burst: (since: MonotonicTime, count: Int, replaced: Int)?
    /// Calls whose vibration waits for the motor.
    private var patientForMotor: [Number] = []

    /// How many calls are not over.
    var count: Int { calls.count + heldBack.count }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .play(let attempt, let now):
            play(attempt, now, &actions)
        case .soundEnded(let number, let result):
            soundEnded(number, result, &actions)
        case .vibrationEnded(let number, let end, let now):
            vibrationEnded(number, end, now, &actions)
        case .stop(let number, let cause, let now):
            stop(number, cause, now, &actions)
        case .stopSound(let client, let id, let cause, let now):
            stop(cause, now, &actions) { $0.client == client && $0.sound == id }
        case .stopClient(let client, let cause, let kept, let now):
            stop(cause, now, &actions) { $0.client == client && !kept.contains($0.sound) }
        case .stopAll(let cause, let now):
            stop(cause, now, &actions) { _ in true }
        case .rules(let rules, let now):
            // Sounds that must stop were stopped by the player already.
            for number in [vibrating, resting].compactMap({ $0 }) {
                guard let call = calls[number], !rules.decide(call.attempt.request).vibrates else { continue }
                stopVibration(number, now, &actions)
            }
        case .timer(let number, let now):
            timerIsDue(number, now, &actions)
        }
        return actions
    }

    // MARK: - Beginning

    private mutating func play(_ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]) {
        let number = attempt.number
        if !attempt.isHeard {
            // The player tells of those that it is handed.
            actions.append(
                .report(.decided(attempt.decision, attempt.request, sound: number, at: attempt.requestedAt)))
        }
        if let fallback = attempt.fallback {
            actions.append(.report(.fallback(fallback, sound: number, at: attempt.requestedAt)))
        }
        guard attempt.isHeard || attempt.isFelt else { return completeAtOnce(Call(attempt: attempt), now, &actions) }
        calls[number] = Call(attempt: attempt)
        if attempt.isHeard { beginSound(number, attempt, now, &actions) }
        if attempt.isFelt { beginVibration(number, attempt, now, &actions) }
    }

    private mutating func beginSound(
        _ number: Number, _ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        calls[number]?.sound = .waiting
        guard let playing else {
            startSound(number, &actions)
            return
        }
        if attempt.isPatient {
            patient.append(number)
            return
        }
        if let next { endWaitingSound(next, .stopped(.replaced), now, &actions) }
        next = number
        actions.append(.stopSound(playing, .replaced))
    }

    private mutating func startSound(_ number: Number, _ actions: inout [Action]) {
        guard let attempt = calls[number]?.attempt, let samples = attempt.samples else { return }
        playing = number
        calls[number]?.sound = .running
        actions.append(.startSound(number, samples, attempt.request))
    }

    private mutating func beginVibration(
        _ number: Number, _ attempt: SystemSoundAttempt, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        calls[number]?.vibration = .waiting
        if attempt.isPatient, vibrating != nil || resting != nil {
            patientForMotor.append(number)
            return
        }
        if let before = resting {
            resting = nil
            endVibration(before, .replaced, now, &actions)
        }
        // The vibrator ends the vibration that runs as replaced.
        if vibrating == nil, let restedAt, restedAt > now {
            resting = number
            actions.append(.schedule(number, at: restedAt))
        } else {
            startVibration(number, &actions)
        }
    }

    /// Lets the first of those that wait for the motor have it, where nobody else does.
    private mutating func beginPatientVibration(_ now: MonotonicTime, _ actions: inout [Action]) {
        guard vibrating == nil, resting == nil, !patientForMotor.isEmpty else { return }
        let next = patientForMotor.removeFirst()
        resting = next
        actions.append(.schedule(next, at: max(restedAt ?? now, now)))
    }

    private mutating func startVibration(_ number: Number, _ actions: inout [Action]) {
        guard let pattern = calls[number]?.attempt.pattern else { return }
        vibrating = number
        calls[number]?.vibration = .running
        actions.append(.startVibration(number, pattern))
    }

    private mutating func timerIsDue(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        if number == resting {
            resting = nil
            startVibration(number, &actions)
        } else if let call = heldBack.removeValue(forKey: number) {
            complete(call, now, &actions)
        }
    }

    // MARK: - Ending

    private mutating func soundEnded(_ number: Number, _ result: SoundResult, _ actions: inout [Action]) {
        guard calls[number] != nil else { return }
        calls[number]?.sound = .over(result)
        if playing == number { playing = nil }
        completeIfOver(number, result.endedAt, &actions)
        guard playing == nil else { return }
        if let waiting = next {
            next = nil
            startSound(waiting, &actions)
        } else if !patient.isEmpty {
            startSound(patient.removeFirst(), &actions)
        }
    }

    private mutating func vibrationEnded(
        _ number: Number, _ end: VibrationEnd, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        if vibrating == number {
            vibrating = nil
            restedAt = now + Self.rest
        }
        endVibration(number, end, now, &actions)
        beginPatientVibration(now, &actions)
    }

    private mutating func stop(
        _ number: Number, _ cause: SoundOutcome.StopCause, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let call = calls[number] else { return }
        if call.stopCause == nil { calls[number]?.stopCause = cause }
        // The motor first: it is what must not outlast a stop.
        stopVibration(number, now, &actions)
        switch call.sound {
        case .waiting: endWaitingSound(number, .stopped(cause), now, &actions)
        case .running: actions.append(.stopSound(number, cause))
        case .none, .over: break
        }
    }

    private mutating func stop(
        _ cause: SoundOutcome.StopCause, _ now: MonotonicTime, _ actions: inout [Action],
        where isMeant: (SystemSoundAttempt) -> Bool
    ) {
        for number in calls.keys.sorted() {
            if let call = calls[number], isMeant(call.attempt) { stop(number, cause, now, &actions) }
        }
    }

    private mutating func stopVibration(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        switch calls[number]?.vibration {
        case .waiting:
            if resting == number { resting = nil }
            patientForMotor.removeAll { $0 == number }
            endVibration(number, .stopped, now, &actions)
            beginPatientVibration(now, &actions)
        case .running:
            actions.append(.stopVibration(number))
        case .some(.none), .over, nil:
            break
        }
    }

    /// Ends a sound that was not begun.
    private mutating func endWaitingSound(
        _ number: Number, _ outcome: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let attempt = calls[number]?.attempt else { return }
        if next == number { next = nil }
        patient.removeAll { $0 == number }
        let result = SoundResult(
            outcome: outcome, requestedAt: attempt.requestedAt, endedAt: now,
            position: StreamPosition(played: 0, total: attempt.frames))
        calls[number]?.sound = .over(result)
        actions.append(.report(.soundEnded(outcome, sound: number, at: now)))
        completeIfOver(number, now, &actions)
    }

    private mutating func endVibration(
        _ number: Number, _ end: VibrationEnd, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard calls[number] != nil else { return }
        calls[number]?.vibration = .over(end)
        completeIfOver(number, now, &actions)
    }

    private mutating func completeIfOver(_ number: Number, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let call = calls[number], !call.sound.isUnderWay, !call.vibration.isUnderWay else { return }
        calls[number] = nil
        if call.isReplaced {
            countBurst(now) { $0.replaced += 1 }
            if (burst?.replaced ?? 0) > Self.mostReplaced { return holdBack(call, now, &actions) }
        }
        complete(call, now, &actions)
    }

    private mutating func completeAtOnce(_ call: Call, _ now: MonotonicTime, _ actions: inout [Action]) {
        countBurst(now) { $0.count += 1 }
        if call.attempt.isFromCompletion || (burst?.count ?? 0) > Self.longestBurst {
            holdBack(call, now, &actions)
        } else {
            complete(call, now, &actions)
        }
    }

    private mutating func countBurst(
        _ now: MonotonicTime, _ change: (inout (since: MonotonicTime, count: Int, replaced: Int)) -> Void
    ) {
        var present = burst ?? (now, 0, 0)
        if now - present.since >= Self.pace { present = (now, 0, 0) }
        change(&present)
        burst = present
    }

    private mutating func holdBack(_ call: Call, _ now: MonotonicTime, _ actions: inout [Action]) {
        heldBack[call.attempt.number] = call
        actions.append(.schedule(call.attempt.number, at: now + Self.pace))
    }

    private mutating func complete(_ call: Call, _ now: MonotonicTime, _ actions: inout [Action]) {
        let attempt = call.attempt
        var result = SystemSoundResult(
            sound: attempt.sound, outcome: attempt.outcomeAtOnce, vibration: nil, fallback: attempt.fallback,
            requestedAt: attempt.requestedAt, startedAt: nil, endedAt: now,
            position: StreamPosition(played: 0, total: attempt.frames))
        if case .over(let end) = call.vibration { result.vibration = end }
        if case .over(let sound) = call.sound {
            result.outcome = sound.outcome
            result.startedAt = sound.startedAt
            result.position = sound.position
        } else if attempt.request == .vibration, let end = result.vibration {
            result.outcome = SoundOutcome(end, stoppedBy: call.stopCause)
        }
        if !attempt.isHeard {
            actions.append(.report(.soundEnded(result.outcome, sound: attempt.number, at: now)))
        }
        actions.append(.complete(attempt.number, result))
    }
}

extension SoundOutcome {
    /// What became of a sound that is a vibration.
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
