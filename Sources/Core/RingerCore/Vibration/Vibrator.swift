import Synchronization

/// The vibration motor as services use it: one pattern at a time, with a longest on-time. Any thread.
///
/// A motor turns for at most ``longestOnTime`` without a rest of 0.1 s, however many callers use it; then it is stopped
/// and the vibration ends as ``SoundOutcome/StopCause/limited``. If the motor cannot be turned off, each failure is reported and
/// turning off is tried again until it succeeds; if its device disappeared, as soon as the device is back. If its driver
/// does not return, vibrations fail as timed out, the first one 1 s after its end, until it does.
public final class Vibrator: Sendable {
    /// Identifies a vibration.
    public struct ID: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    /// What turns: the motor itself, or that of a service, which runs whole patterns.
    enum Drive: Sendable {
        case motor(any VibrationMotor, StateMachineRunner<VibrationSequencer>)
        case service(any DeviceService, name: String)
    }

    private let core: Core
    let drive: Drive
    private let clock: any DeviceClock
    private let report: @Sendable (VibrationReport) -> Void
    private let completions: CompletionTable<UInt64, SoundOutcome>
    private let nextNumber = Atomic<UInt64>(1)
    private let isClosed = Atomic(false)
    private let process = OwningProcess()
    /// How many vibrations run at the service for this process: one that is replaced ends after the next one has begun.
    private let atService = TransitionState(0)

    /// How long the motor may turn without a rest of 0.1 s. A service has a limit of its own.
    public let longestOnTime: Duration

    /// The motor's name.
    public var name: String {
        switch drive {
        case .motor(let motor, _): motor.name
        case .service(_, let name): name
        }
    }

    /// Owns and closes `motor`, and reports what it does, in order. Drivers and motors endure 10 s without a rest of 0.1 s.
    package init(
        motor: any VibrationMotor, clock: any DeviceClock, in core: Core = Core(),
        longestOnTime: Duration = .seconds(10),
        report: @escaping @Sendable (VibrationReport) -> Void = { _ in }
    ) {
        self.core = core
        self.clock = clock
        self.longestOnTime = longestOnTime
        self.report = report
        let completions = CompletionTable<UInt64, SoundOutcome>()
        let timer = TimerSlot(clock, core)
        self.completions = completions
        let answering = motor as? any AnsweringMotor
        let blocking = motor as? any BlockingMotor
        let sequencer = VibrationSequencer(longestOnTime: longestOnTime)
        let runner = StateMachineRunner(sequencer, in: core) { action, runner in
            switch action {
            case .motor(let question, let level):
                let ask: @Sendable () -> Void = {
                    // A stop that returned since then wants the motor off.
                    guard runner.read({ $0.isNewest(question) }) else { return runner.send(.skipped(question), clock) }
                    let answer: @Sendable (RingerError?) -> Void = { error in
                        runner.send(.answered(question, error), clock)
                    }
                    if let level, level.until <= clock.now {
                        // Hardware would take it for off, and report success.
                        answer(RingerError(.timedOut, "turn on", motor.name, detail: "the pulse was over by then"))
                    } else if let answering {
                        answering.turn(to: level, answer: answer)
                    } else {
                        answer(motor.turn(to: level, clock.now))
                    }
                }
                core.perform { if let blocking { blocking.execute(ask) } else { ask() } }
            case .schedule(let time):
                timer.set(at: time) { [weak runner] in runner?.send(.timer, clock) }
            case .unschedule:
                timer.cancel()
            case .complete(let number, let end):
                completions.complete(number, with: end)
            case .report(let what):
                report(what)
            }
        }
        motor.onReturn { [weak runner] in runner?.send(.mayBeBack, clock) }
        drive = .motor(motor, runner)
    }

    /// The motor of a service, which is named `name`. The motor is reported on from the first request to the end of the
    /// last one: the service does not report the pulses in between.
    package init(
        of service: any DeviceService, name: String, clock: any DeviceClock, in core: Core, longestOnTime: Duration,
        report: @escaping @Sendable (VibrationReport) -> Void = { _ in }
    ) {
        self.core = core
        drive = .service(service, name: name)
        self.clock = clock
        self.longestOnTime = longestOnTime
        self.report = report
        completions = CompletionTable()
    }

    deinit {
        // The last owner is gone: nothing else could stop the motor.
        if isClosed.load(ordering: .acquiring) { return }
        close(isUrgent: false) { [report, clock] error in
            if let error { report(.offFailed(error, attempt: 1, at: clock.now)) }
        }
    }

    /// Begins `pattern`, replacing a running vibration.
    ///
    /// - Parameter completion: Called once with how the vibration ended: before the call returns, on the caller's thread, if
    ///   that is known by then; else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: Identifies the vibration, for ``stop(_:)``.
    @discardableResult
    public func start(_ pattern: VibrationPattern, completion: (@Sendable (SoundOutcome) -> Void)? = nil) -> ID {
        let id = reserve()
        withUserCompletion(completion, on: clock, core) { begin(id, pattern, $0) }
        return id
    }

    /// Reserves the number of a vibration that is about to begin.
    func reserve() -> ID {
        ID(number: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Runs `pattern` to its end, and returns how the vibration ended. Cancelling the task stops the motor.
    public func vibrate(_ pattern: VibrationPattern) async -> SoundOutcome {
        let id = reserve()
        return await outcome(core, { begin(id, pattern, $0) }, onCancel: { stop(id) })
    }

    /// Stops `vibration` at once; nil for any vibration.
    public func stop(_ vibration: ID? = nil) {
        // A child of fork would turn its parent's motor.
        if !process.isCurrent { return }
        switch drive {
        case .motor(_, let runner):
            runner.send(.stop(vibration?.number), clock)
        case .service(let service, _): core.perform { service.stopVibration(vibration?.number) }
        }
    }

    /// Begins a vibration with a reserved number. `completion` runs inside a transition.
    func begin(_ id: ID, _ pattern: VibrationPattern, _ completion: @escaping @Sendable (SoundOutcome) -> Void) {
        if !process.isCurrent { return completion(.failed(process.error("vibrate", name))) }
        switch drive {
        case .motor(_, let runner):
            core.transition {
                completions.add(id.number, completion)
                runner.send(.play(id.number, pattern), clock)
            }
        case .service(let service, _):
            core.perform { [core, clock, report, atService] in
                core.transition {
                    atService.value += 1
                    if atService.value == 1 { report(.on(strength: pattern.strength, at: clock.now)) }
                }
                service.vibrate(id.number, pattern) { end in
                    core.transition {
                        if case .failed(let error) = end { report(.onFailed(error, at: clock.now)) }
                        atService.value -= 1
                        if atService.value == 0 { report(.off(at: clock.now)) }
                        completion(end)
                    }
                }
            }
        }
    }

    /// Turns the motor off before the machine sleeps, and keeps it off until ``wakes()``, or until the clock tells that the
    /// machine slept. `completion` is called inside a transition, once the motor is off, or turning it off failed; at the
    /// latest when the machine woke or the sleep is given up.
    ///
    /// A service's motor is the service's to turn off.
    package func prepareForSleep(_ completion: @escaping @Sendable () -> Void) {
        guard case .motor(_, let runner) = drive else { return completion() }
        let number = reserve().number
        core.transition {
            completions.add(number) { _ in completion() }
            runner.send(.prepareForSleep(number), clock)
        }
    }

    /// Ends a vibration that the machine slept through, and lets the motor turn again: the machine woke, or does not sleep
    /// after all.
    package func wakes() {
        guard case .motor(_, let runner) = drive else { return }
        runner.send(.woke, clock)
    }

    /// Whether the motor is known to be off. That of a service is the service's to turn off.
    package var isOff: Bool {
        guard case .motor(_, let runner) = drive else { return true }
        return runner.read { $0.isOff }
    }

    /// How often ``close()`` tries to turn the motor off: after 10 ms again, then after twice that, and so on. With 630 ms it is
    /// over before a closing device gives up.
    private static let closingAttempts = 7

    /// Stops the motor and closes it. A second call does nothing if the motor is off.
    ///
    /// - Throws: ``RingerError`` if the motor could not be turned off in seven attempts, within 0.7 s.
    public func close() async throws(RingerError) {
        if let error = await outcome(core, { close($0) }) { throw error }
    }

    /// The same without waiting. `completion` is called once, on any thread, with the error.
    ///
    /// - Parameter isUrgent: Whether a motor that may turn is turned off though the device's thread is held up.
    package func close(isUrgent: Bool = true, _ completion: @escaping @Sendable (RingerError?) -> Void) {
        isClosed.store(true, ordering: .releasing)
        if !process.isCurrent { return completion(nil) }
        stop()
        guard case .motor(let motor, _) = drive else { return completion(nil) }
        let close: @Sendable () -> Void = { [clock] in Self.close(motor, clock, completion) }
        if let motor = motor as? any BlockingMotor, !motor.closesAtOnce { return motor.execute(close) }
        if isUrgent, core.hasOtherThread, !isOff,
            (try? DetachedThread.start(stackSize: DetachedThread.workStackSize, close)) != nil
        {
            return
        }
        core.perform(close)
    }

    /// Ends what waits for a motor whose driver does not return.
    package func giveUp() {
        completions.completeAll(
            with: .failed(RingerError(.timedOut, "turn off", name, detail: "its driver has not answered")))
    }

    /// Passes why the motor could not be turned off.
    private static func close(
        _ motor: any VibrationMotor, _ clock: any DeviceClock, attempt: Int = 1,
        _ completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        do throws(RingerError) {
            try motor.close()
            completion(nil)
        } catch {
            let isFinal = attempt == closingAttempts || error.code == .disconnected || error.code == .unreachable
            if isFinal { return completion(error) }
            // Its bus may have failed for a moment.
            _ = clock.schedule(at: clock.now + .milliseconds(10) * (1 << (attempt - 1))) {
                let again: @Sendable () -> Void = { close(motor, clock, attempt: attempt + 1, completion) }
                if let motor = motor as? any BlockingMotor { motor.execute(again) } else { again() }
            }
        }
    }
}

extension StateMachineRunner<VibrationSequencer> {
    /// Sends what happens now.
    fileprivate func send(_ kind: VibrationSequencer.Kind, _ clock: any DeviceClock) {
        send(VibrationSequencer.Event(kind: kind, now: clock.now, asleep: clock.timeAsleep))
    }
}
