/// Decides when the motor turns: one pattern at a time, a longest on-time for all callers together, and repeated
/// attempts if the motor does not turn off.
struct VibrationSequencer: StateMachine {
    enum Event: Sendable {
        /// Run the pattern, replacing a running vibration. Until now the machine has slept for `asleep`.
        case play(UInt64, VibrationPattern, now: MonotonicTime, asleep: Duration = .zero)
        /// Stop the vibration of this number; nil for any.
        case stop(UInt64?, now: MonotonicTime)
        /// The timer of this number expired.
        case timer(UInt64, now: MonotonicTime, asleep: Duration = .zero)
        /// The machine is about to sleep: turn the motor off and leave it off until the machine woke. The preparation of
        /// this number completes when the motor is off, or turning it off failed.
        case prepareForSleep(UInt64, now: MonotonicTime, asleep: Duration)
        /// The machine woke, or does not sleep after all.
        case woke(now: MonotonicTime, asleep: Duration)
        case turnOnFailed(RingerError, now: MonotonicTime)
        case turnedOff(now: MonotonicTime)
        case turnOffFailed(RingerError, now: MonotonicTime)
        /// The device of a motor that was unreachable may be back.
        case mayBeBack(now: MonotonicTime)
    }

    enum Action: Sendable, Equatable {
        case turnOn(strength: Float, limit: Duration)
        /// Turn off, then send `.turnedOff` or `.turnOffFailed`.
        case turnOff
        /// Send `.timer` with this number at this time. Replaces the previous timer.
        case schedule(UInt64, at: MonotonicTime)
        /// Cancel the timer, which may not have been set: nothing wakes a device whose motor is at rest.
        case unschedule
        case complete(UInt64, VibrationEnd)
        case report(VibrationReport)
    }

    private struct Running {
        var id: UInt64
        var pattern: VibrationPattern
        var pulse = 0
        var round = 1

        /// Moves to the next pulse. Returns false after the last one.
        mutating func advance() -> Bool {
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

    private enum Phase {
        case idle
        /// Turning until `until`; with `isLimited`, the longest on-time ends it there.
        case turning(since: MonotonicTime, until: MonotonicTime, isLimited: Bool)
        /// Resting between two pulses.
        case resting(until: MonotonicTime)
        /// Being turned off; the vibration of this number ends with that.
        case stopping(UInt64, VibrationEnd)
        /// Turning off failed; the motor may have been turning since `since`. A timer tries again.
        case stuck(RingerError, attempts: Int, since: MonotonicTime)
        /// The motor's device disappeared; it may have been turning since `since`. The port reports when to try again.
        case unreachable(RingerError, attempts: Int, since: MonotonicTime)
    }

    /// A shorter rest does not cool the motor: the on-times around it are added up.
    static let shortestRest = Duration.milliseconds(100)
    /// How much later than the pulse's end the hardware's own limit is, so that it acts only if this process does not.
    static let hardwareMargin = Duration.milliseconds(50)
    /// A shorter sleep is none: the two clocks that tell are not read at the same moment.
    static let shortestSleep = Duration.milliseconds(10)
    /// A sleep that was announced and has not come after so long awake was given up.
    static let longestPreparation = Duration.seconds(10)

    let longestOnTime: Duration
    private var running: Running?
    private var phase = Phase.idle
    /// How long the motor has turned since its last rest of ``shortestRest``, without the current pulse.
    private var turned = Duration.zero
    private var restingSince: MonotonicTime?
    /// Since when the machine is about to sleep.
    private var preparedAt: MonotonicTime?
    /// How long the machine had slept at the last event that says so.
    private var asleep = Duration.zero
    private var timer: UInt64 = 0

    init(longestOnTime: Duration) {
        self.longestOnTime = longestOnTime
    }

    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .play(let id, let pattern, let now, let asleep):
            noteSleep(asleep, now, &actions)
            play(Running(id: id, pattern: pattern), now, &actions)
        case .stop(let id, let now):
            stop(id, now, &actions)
        case .timer(let number, let now, let asleep):
            noteSleep(asleep, now, &actions)
            if number == timer { timerIsDue(now, &actions) }
        case .prepareForSleep(let number, let now, let asleep):
            noteSleep(asleep, now, &actions)
            preparedAt = now
            stop(nil, now, &actions)
            actions.append(.complete(number, .stopped))
        case .woke(let now, let asleep):
            noteSleep(asleep, now, &actions)
            preparedAt = nil
        case .turnOnFailed(let error, let now):
            actions.append(.report(.onFailed(error, at: now)))
            // The motor may be turning in spite of the error.
            end(.failed(error), now, &actions)
        case .turnedOff(let now):
            turnedOff(now, &actions)
        case .turnOffFailed(let error, let now):
            turnOffFailed(error, now, &actions)
        case .mayBeBack:
            if case .unreachable = phase { actions.append(.turnOff) }
        }
        return actions
    }

    /// Whether the motor is known to be off.
    var isOff: Bool {
        switch phase {
        case .idle, .resting: true
        case .turning, .stopping, .stuck, .unreachable: false
        }
    }

    // MARK: - Sleep

    /// Ends the vibration that ran when the machine fell asleep, whichever event comes first after the waking. Meanwhile
    /// the clock and its timers stood still, and a motor that nothing turned off turned on.
    private mutating func noteSleep(_ asleep: Duration, _ now: MonotonicTime, _ actions: inout [Action]) {
        let slept = asleep - self.asleep
        self.asleep = asleep
        guard slept >= Self.shortestSleep else { return }
        preparedAt = nil
        if !isOff {
            turned += slept
        } else if slept >= Self.shortestRest {
            turned = .zero
        }
        end(.stopped, now, &actions)
    }

    /// Why the motor has to stay off; nil if it need not.
    private func refusal(_ now: MonotonicTime) -> RingerError? {
        guard let preparedAt, now - preparedAt < Self.longestPreparation else { return nil }
        return RingerError(.busy, "vibrate", "vibration motor", detail: "the machine is about to sleep")
    }

    // MARK: - Pulses

    private mutating func play(_ new: Running, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let error = refusal(now) { return actions.append(.complete(new.id, .failed(error))) }
        preparedAt = nil
        if let running { actions.append(.complete(running.id, .replaced)) }
        running = new
        switch phase {
        case .idle, .resting:
            beginPulse(at: now, now, &actions)
        case .turning(let since, _, _):
            turned += max(now - since, .zero)
            phase = .idle
            beginPulse(at: now, now, &actions, isTurning: true)
        case .stopping:
            break  // It begins once the motor rests.
        case .stuck(let error, _, _), .unreachable(let error, _, _):
            running = nil
            actions.append(.complete(new.id, .failed(error)))
        }
    }

    private mutating func stop(_ id: UInt64?, _ now: MonotonicTime, _ actions: inout [Action]) {
        if let running {
            if id == nil || id == running.id { end(.stopped, now, &actions) }
            return
        }
        switch phase {
        // No vibration is running, but the motor may be turning: turn it off now, without waiting for the next attempt.
        case .stuck, .unreachable: actions.append(.turnOff)
        case .idle, .turning, .resting, .stopping: break
        }
    }

    /// Begins the next pulse. Its end is computed from its planned start, so that delays do not add up.
    private mutating func beginPulse(
        at planned: MonotonicTime, _ now: MonotonicTime, _ actions: inout [Action], isTurning: Bool = false
    ) {
        guard let running else { return }
        if let restingSince, now - restingSince >= Self.shortestRest { turned = .zero }
        let left = longestOnTime - turned
        guard left > .zero else {
            limitReached(isTurning: isTurning, now, &actions)
            return
        }
        let pulse = running.pattern.pulses[running.pulse]
        let length = min(pulse.on, left)
        if !isTurning { actions.append(.report(.on(strength: running.pattern.strength, at: now))) }
        actions.append(.turnOn(strength: running.pattern.strength, limit: min(length + Self.hardwareMargin, left)))
        restingSince = nil
        phase = .turning(since: now, until: planned + length, isLimited: length < pulse.on)
        schedule(at: planned + length, &actions)
    }

    private mutating func timerIsDue(_ now: MonotonicTime, _ actions: inout [Action]) {
        switch phase {
        case .turning(let since, let until, let isLimited):
            guard let pulse = running.map({ $0.pattern.pulses[$0.pulse] }) else { return }
            turned += max(now - since, .zero)
            phase = .turning(since: now, until: until, isLimited: isLimited)
            if isLimited { return limitReached(isTurning: true, now, &actions) }
            guard running?.advance() == true else { return end(.finished, now, &actions) }
            if pulse.off == .zero { return beginPulse(at: until, now, &actions, isTurning: true) }
            phase = .resting(until: until + pulse.off)
            actions.append(.turnOff)
            schedule(at: until + pulse.off, &actions)
        case .resting(let until):
            beginPulse(at: until, now, &actions)
        case .stuck:
            actions.append(.turnOff)
        case .idle, .stopping, .unreachable:
            break
        }
    }

    private mutating func limitReached(isTurning: Bool, _ now: MonotonicTime, _ actions: inout [Action]) {
        actions.append(.report(.limitReached(at: now)))
        if isTurning, case .idle = phase { phase = .turning(since: now, until: now, isLimited: true) }
        end(.limited, now, &actions)
    }

    // MARK: - Ends

    /// Ends the running vibration; turns the motor off first if it is on.
    private mutating func end(_ end: VibrationEnd, _ now: MonotonicTime, _ actions: inout [Action]) {
        guard let running else { return }
        self.running = nil
        switch phase {
        case .turning(let since, _, _):
            turned += max(now - since, .zero)
            phase = .stopping(running.id, end)
            actions.append(.turnOff)
            unschedule(&actions)
        case .idle, .resting:
            phase = .idle
            actions.append(.complete(running.id, end))
            unschedule(&actions)
        case .stopping, .stuck, .unreachable:
            actions.append(.complete(running.id, end))
        }
    }

    private mutating func turnedOff(_ now: MonotonicTime, _ actions: inout [Action]) {
        restingSince = now
        actions.append(.report(.off(at: now)))
        switch phase {
        case .stopping(let id, let end):
            phase = .idle
            actions.append(.complete(id, end))
            beginPulse(at: now, now, &actions)
        case .stuck(_, _, let since), .unreachable(_, _, let since):
            // The motor may have been turning all the time.
            turned += max(now - since, .zero)
            phase = .idle
            unschedule(&actions)
        case .idle, .turning, .resting:
            break
        }
    }

    private mutating func turnOffFailed(_ error: RingerError, _ now: MonotonicTime, _ actions: inout [Action]) {
        var attempts = 1
        var since = now
        var isReported = false
        switch phase {
        case .stopping(let id, _): actions.append(.complete(id, .failed(error)))
        case .stuck(_, let before, let start): (attempts, since) = (before + 1, start)
        case .unreachable(_, let before, let start):
            (attempts, since) = (before + 1, start)
            isReported = error.code == .unreachable
        case .idle, .turning, .resting: break
        }
        if !isReported { actions.append(.report(.offFailed(error, attempt: attempts, at: now))) }
        if let running {
            self.running = nil
            actions.append(.complete(running.id, .failed(error)))
        }
        switch error.code {
        case .disconnected:
            // The kernel stopped the motor when its device disappeared.
            phase = .idle
            unschedule(&actions)
        case .unreachable:
            // No timer: the port reports when the device may be back.
            phase = .unreachable(error, attempts: attempts, since: since)
            unschedule(&actions)
        default:
            // The first retries come at once, later ones more slowly, without end: a turning motor must be stopped.
            phase = .stuck(error, attempts: attempts, since: since)
            schedule(at: now + min(Duration.milliseconds(10) * (1 << min(attempts - 1, 7)), .seconds(1)), &actions)
        }
    }

    private mutating func schedule(at time: MonotonicTime, _ actions: inout [Action]) {
        timer += 1
        actions.append(.schedule(timer, at: time))
    }

    private mutating func unschedule(_ actions: inout [Action]) {
        timer += 1
        actions.append(.unschedule)
    }
}
