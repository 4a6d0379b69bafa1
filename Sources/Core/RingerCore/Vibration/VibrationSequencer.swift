/// Decides when the motor turns: one pattern at a time, a longest on-time for all callers together, and repeated
/// attempts if the motor does not turn off.
///
/// The motor is asked numbered questions, one at a time. While one is unanswered, only the newest of the later ones is kept,
/// and only the answer to the newest question counts: what an earlier call found is no longer true when a later one follows.
/// If both ask for off, the success of the earlier one answers both. Each failure is reported.
struct VibrationSequencer: StateMachine {
    struct Event: Sendable {
        var kind: Kind
        var now: MonotonicTime
        /// How long the machine has slept until now.
        var asleep: Duration
    }

    enum Kind: Sendable {
        /// Run the pattern, replacing a running vibration.
        case play(UInt64, VibrationPattern)
        /// Stop the vibration of this number; nil for any.
        case stop(UInt64?)
        /// A timer expired.
        case timer
        /// The machine is about to sleep: turn the motor off and leave it off until the machine woke. The preparation of
        /// this number completes when the motor is off, or has answered that it could not be turned off, at the latest when
        /// the machine woke or the sleep is given up.
        case prepareForSleep(UInt64)
        /// The machine woke, or does not sleep after all.
        case woke
        /// The motor did what the question of this number asks for, or failed.
        case answered(UInt64, RingerError?)
        /// The motor was not asked the question of this number, since it was no longer the newest.
        case skipped(UInt64)
        /// The device of a motor that was unreachable may be back.
        case mayBeBack
    }

    enum Action: Sendable, Equatable {
        /// Turn the motor on at this level, or off for nil, then send `.answered` with this number.
        case motor(UInt64, MotorLevel?)
        /// Send `.timer` at this time. Replaces the previous timer, which may still expire.
        case schedule(at: MonotonicTime)
        /// Cancel the timer, which may not have been set: nothing wakes a device whose motor is at rest.
        case unschedule
        case complete(UInt64, SoundOutcome)
        case report(VibrationReport)
    }

    struct Running {
        var id: UInt64
        var pattern: VibrationPattern
        var pulse = 0
        var round = 1
        /// How much of the pulse is over: the motor is asked again for each part of a long one.
        var over = Duration.zero

        /// The next part of the pulse.
        var part: Duration { min(pattern.pulses[pulse].on - over, VibrationSequencer.longestPart) }

        /// Moves to the next part or pulse. Returns false after the last one.
        mutating func advance() -> Bool {
            over += part
            if over < pattern.pulses[pulse].on { return true }
            over = .zero
            if pulse + 1 < pattern.pulses.count {
                pulse += 1
                return true
            }
            if case .times(let count) = pattern.repetition {
                if round >= count { return false }
                round += 1
            }
            pulse = 0
            return true
        }
    }

    struct Question {
        var number: UInt64
        /// The level to turn at; nil for off.
        var level: MotorLevel?
        /// The vibration that the motor shall be turned on for.
        var vibration: UInt64?
    }

    enum Phase {
        case idle
        /// Turning until `until`; with `isLimited`, the longest on-time ends it there.
        case turning(until: MonotonicTime, isLimited: Bool)
        /// Resting between two pulses.
        case resting(until: MonotonicTime)
        /// Being turned off; the vibration of this number ends with that, at `until` at the latest.
        case stopping(UInt64, SoundOutcome, until: MonotonicTime)
        /// Turning off failed, or is unanswered for too long. A timer tries again; where the motor's device disappeared,
        /// the port reports when to; where a question is unanswered, its answer decides.
        case stuck(RingerError, attempts: Int)
    }

    /// A shorter rest does not cool the motor: the on-times around it are added up.
    static let shortestRest = Duration.milliseconds(100)
    /// How much later than the pulse's end the hardware's own limit is, so that it acts only if this process does not.
    static let hardwareMargin = Duration.milliseconds(50)
    /// Hardware that stops a motor by itself does so after 32.767 s at the latest (force feedback).
    static let longestPart = Duration.seconds(30)
    /// A vibration fails if the motor has not answered so long after its end.
    static let longestAnswer = Duration.seconds(1)
    /// A shorter sleep is none: the two clocks that tell are not read at the same moment.
    static let shortestSleep = Duration.milliseconds(10)
    /// A sleep that was announced and has not come after so long awake was given up.
    static let longestPreparation = Duration.seconds(10)

    let longestOnTime: Duration
    private(set) var running: Running?
    private(set) var phase = Phase.idle
    /// The newest question.
    private(set) var newest = Question(number: 0)
    /// The question that the motor has and did not answer yet.
    private(set) var unanswered: Question?
    /// The vibration that the motor was turned on for last, and why that failed; nil if it succeeded at least once.
    private(set) var turnedOn: (vibration: UInt64, error: RingerError?)?
    /// Since when the motor may be turning: from a question for "on" to the answer to the newest one, if that was "off".
    private(set) var mayTurnSince: MonotonicTime?
    /// How long the motor turned since its last rest of ``shortestRest``, up to `mayTurnSince`.
    private(set) var turned = Duration.zero
    private(set) var restingSince: MonotonicTime?
    /// Preparations for a sleep that wait for the motor's answer.
    private(set) var preparations: [UInt64] = []
    /// Since when the machine is about to sleep.
    private(set) var preparedAt: MonotonicTime?
    /// How long the machine had slept at the last event.
    private(set) var asleep = Duration.zero

    init(longestOnTime: Duration) {
        self.longestOnTime = longestOnTime
    }

    mutating func handle(_ event: Event, _ actions: inout [Action]) {
        let now = event.now
        noteSleep(event.asleep, now, &actions)
        switch event.kind {
        case .play(let id, let pattern):
            play(Running(id: id, pattern: pattern), now, &actions)
        case .stop(let id):
            stop(id, now, &actions)
        case .timer:
            timerIsDue(now, &actions)
        case .prepareForSleep(let number):
            preparedAt = now
            preparations.append(number)
            stop(nil, now, &actions)
            completePreparations(&actions)
        case .woke:
            endPreparation(&actions)
        case .answered(let number, let error):
            answered(number, error, now, &actions)
        case .skipped(let number):
            if number == unanswered?.number { sendQuestion(&actions) }
        case .mayBeBack:
            // A failure under way may be older than the return.
            if isUnreachable || isBeingTurnedOff { ask(nil, &actions) }
        }
    }

    /// Whether the motor is known to be off.
    var isOff: Bool { mayTurnSince == nil }

    /// Whether no later question follows the one of this number.
    func isNewest(_ question: UInt64) -> Bool { question == newest.number }

    private var isUnreachable: Bool {
        if case .stuck(let error, _) = phase { error.code == .unreachable } else { false }
    }

    // MARK: - Questions

    /// Asks the motor for `level` for the running vibration, nil for off: at once, or when it has answered an earlier
    /// question.
    private mutating func ask(_ level: MotorLevel?, _ actions: inout [Action]) {
        newest = Question(number: newest.number + 1, level: level, vibration: running?.id)
        if unanswered == nil { sendQuestion(&actions) }
    }

    private var isBeingTurnedOff: Bool { unanswered != nil && newest.level == nil }

    private mutating func turnOff(_ actions: inout [Action]) {
        if !isBeingTurnedOff { ask(nil, &actions) }
    }

    private mutating func sendQuestion(_ actions: inout [Action]) {
        unanswered = newest
        actions.append(.motor(newest.number, newest.level))
    }

    private mutating func answered(
        _ number: UInt64, _ error: RingerError?, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let question = unanswered, number == question.number else { return }
        let isSuperseded = !isNewest(number)
        if question.level != nil {
            noteTurnOn(for: question.vibration, error, now, &actions)
        } else if let error, isSuperseded {
            reportOffFailed(error, now, &actions)
        }
        if isSuperseded && (question.level != nil || newest.level != nil || error != nil) {
            return sendQuestion(&actions)
        }
        unanswered = nil
        switch (question.level, error) {
        case (.some, nil): break
        // The motor may be turning in spite of the error.
        case (.some, let error?): end(.failed(error), now, &actions)
        case (nil, nil): turnedOff(now, &actions)
        case (nil, let error?): turnOffFailed(error, now, &actions)
        }
        completePreparations(&actions)
    }

    /// Notes whether the motor could be turned on for `vibration`. A failure after a success changes nothing.
    private mutating func noteTurnOn(
        for vibration: UInt64?, _ error: RingerError?, _ now: MonotonicTime, _ actions: inout [Action]
    ) {
        // One that was closed meanwhile has not failed.
        if let error, error.code != .closed { actions.append(.report(.onFailed(error, at: now))) }
        guard let vibration else { return }
        if let turnedOn, turnedOn.vibration == vibration, turnedOn.error == nil { return }
        turnedOn = (vibration, error)
    }

    // MARK: - Sleep

    /// Ends the vibration that ran when the machine fell asleep, whichever event comes first after the waking. Meanwhile
    /// the clock and its timers stood still, and a motor that nothing turned off turned on.
    private mutating func noteSleep(_ asleep: Duration, _ now: MonotonicTime, _ actions: inout [Action]) {
        let slept = asleep - self.asleep
        // An event may have read the clock before the previous one did.
        self.asleep = max(self.asleep, asleep)
        guard slept >= Self.shortestSleep else { return }
        endPreparation(&actions)
        if !isOff {
            turned += slept
        } else if slept >= Self.shortestRest {
            turned = .zero
        }
        end(.stopped(.caller), now, &actions)
    }

    private mutating func completePreparations(_ actions: inout [Action]) {
        if unanswered != nil && preparedAt != nil { return }
        for number in preparations { actions.append(.complete(number, .stopped(.caller))) }
        preparations = []
    }

    /// The machine slept, or does not sleep after all: nothing waits for the motor to be off any more.
    private mutating func endPreparation(_ actions: inout [Action]) {
        preparedAt = nil
        completePreparations(&actions)
    }

    /// Why the motor has to stay off; nil if it need not.
    private func refusal(_ now: MonotonicTime) -> RingerError? {
        guard let preparedAt, now - preparedAt < Self.longestPreparation else { return nil }
        return RingerError(.busy, "vibrate", "vibration motor", detail: "the machine is about to sleep")
    }

    // MARK: - Pulses

    private mutating func play(_ new: Running, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let error = refusal(now) { return actions.append(.complete(new.id, .failed(error))) }
        endPreparation(&actions)
        if let running { actions.append(.complete(running.id, .stopped(.replaced))) }
        running = new
        switch phase {
        case .idle, .resting, .turning:
            break
        case .stopping(let id, let end, _):
            // The motor need not be off for that one to be over: this one turns it on.
            phase = .idle
            actions.append(.complete(id, outcome(of: id, end)))
        case .stuck(let error, _):
            running = nil
            actions.append(.complete(new.id, .failed(error)))
        }
        beginPulse(at: now, now, &actions)
    }

    private mutating func stop(_ id: UInt64?, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let running {
            if id == nil || id == running.id { end(.stopped(.caller), now, &actions) }
        } else if case .stuck = phase {
            // No vibration is running, but the motor may be turning: turn it off now, without waiting for the next attempt.
            turnOff(&actions)
        }
    }

    /// Begins the next pulse, or the next part of one. Its end is computed from its planned start, so that delays do not add up.
    private mutating func beginPulse(at planned: MonotonicTime, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let running else { return }
        if let restingSince, now - restingSince >= Self.shortestRest { turned = .zero }
        let left = longestOnTime - turned - turn(until: now)
        guard left > .zero else { return limitReached(now, &actions) }
        let (end, limit) = (planned + running.part, now + left)
        if isOff {
            actions.append(.report(.on(strength: running.pattern.strength, at: now)))
            mayTurnSince = now
        }
        restingSince = nil
        phase = .turning(until: min(end, limit), isLimited: limit < end)
        actions.append(.schedule(at: min(end, limit)))
        // A late thread makes no gap between two parts: 32 s are within the hardware's 32.767 s.
        let isLast = running.over + running.part == running.pattern.pulses[running.pulse].on
        let hardwareLimit = min(now + running.part + (isLast ? Self.hardwareMargin : .seconds(2)), limit)
        ask(MotorLevel(strength: running.pattern.strength, until: hardwareLimit), &actions)
    }

    /// How long the motor has turned since it was turned on.
    private func turn(until now: MonotonicTime) -> Duration {
        mayTurnSince.map { max(now - $0, .zero) } ?? .zero
    }

    private mutating func timerIsDue(_ now: MonotonicTime, _ actions: inout [Action]) {
        switch phase {
        case .turning(let until, let isLimited) where until <= now:
            guard let pulse = running.map({ $0.pattern.pulses[$0.pulse] }) else { return }
            if isLimited { return limitReached(now, &actions) }
            guard running?.advance() == true else { return end(.finished, now, &actions) }
            if pulse.off == .zero || running?.over != .zero { return beginPulse(at: until, now, &actions) }
            phase = .resting(until: until + pulse.off)
            actions.append(.schedule(at: until + pulse.off))
            turnOff(&actions)
        case .resting(let until) where until <= now:
            beginPulse(at: until, now, &actions)
        case .stuck:
            turnOff(&actions)
        case .stopping(_, _, let until) where until <= now:
            // Its driver does not return.
            turnOffFailed(RingerError(.timedOut, "turn off", "vibration motor"), now, &actions)
        case .turning(let until, _), .resting(let until), .stopping(_, _, let until):
            // The timer of an earlier vibration, or one that was early.
            actions.append(.schedule(at: until))
        case .idle:
            break
        }
    }

    private mutating func limitReached(_ now: MonotonicTime, _ actions: inout [Action]) {
        actions.append(.report(.limitReached(at: now)))
        end(.stopped(.limited), now, &actions)
    }

    // MARK: - Ends

    /// Ends the running vibration; turns the motor off first unless it is off.
    private mutating func end(_ end: SoundOutcome, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let running else { return }
        self.running = nil
        if isOff {
            phase = .idle
            actions.append(.unschedule)
            actions.append(.complete(running.id, end))
        } else {
            phase = .stopping(running.id, end, until: now + Self.longestAnswer)
            actions.append(.schedule(at: now + Self.longestAnswer))
            turnOff(&actions)
        }
    }

    /// A pattern that is over did not finish if the motor was never turned on for it.
    private func outcome(of id: UInt64, _ end: SoundOutcome) -> SoundOutcome {
        guard end == .finished else { return end }
        guard let turnedOn, turnedOn.vibration == id else {
            // The motor may be turning for it just now.
            if unanswered?.vibration == id { return end }
            return .failed(
                RingerError(.timedOut, "vibrate", "vibration motor", detail: "the motor did not turn on in time"))
        }
        return turnedOn.error.map { .failed($0) } ?? end
    }

    private mutating func rest(since now: MonotonicTime) {
        turned += turn(until: now)
        mayTurnSince = nil
        restingSince = now
    }

    private mutating func turnedOff(_ now: MonotonicTime, _ actions: inout [Action]) {
        rest(since: now)
        actions.append(.report(.off(at: now)))
        switch phase {
        case .stopping(let id, let end, _):
            phase = .idle
            actions.append(.unschedule)
            actions.append(.complete(id, outcome(of: id, end)))
        case .stuck:
            phase = .idle
            actions.append(.unschedule)
        case .idle, .turning, .resting:
            break
        }
    }

    private mutating func turnOffFailed(_ error: RingerError, _ now: MonotonicTime, _ actions: inout [Action]) {
        if case .stopping(let id, _, _) = phase { actions.append(.complete(id, .failed(error))) }
        let attempts = reportOffFailed(error, now, &actions)
        if let running {
            self.running = nil
            actions.append(.complete(running.id, .failed(error)))
        }
        switch error.code {
        case .disconnected:
            // The kernel stopped the motor when its device disappeared.
            rest(since: now)
            phase = .idle
            actions.append(.unschedule)
        case .unreachable:
            // No timer: the port reports when the device may be back.
            phase = .stuck(error, attempts: attempts)
            actions.append(.unschedule)
        default:
            // The first retries come at once, later ones more slowly, without end: a turning motor must be stopped.
            phase = .stuck(error, attempts: attempts)
            let pause = min(Duration.milliseconds(10) * (1 << min(attempts - 1, 7)), .seconds(1))
            actions.append(.schedule(at: now + pause))
        }
    }

    /// Returns which attempt to turn the motor off it was.
    @discardableResult
    private func reportOffFailed(_ error: RingerError, _ now: MonotonicTime, _ actions: inout [Action]) -> Int {
        var attempt = 1
        var isReported = false
        if case .stuck(_, let attempts) = phase {
            attempt = attempts + 1
            isReported = isUnreachable && error.code == .unreachable
        }
        if !isReported { actions.append(.report(.offFailed(error, attempt: attempt, at: now))) }
        return attempt
    }
}
