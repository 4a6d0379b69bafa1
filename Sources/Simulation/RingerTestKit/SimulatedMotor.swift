import RingerCore
import Synchronization

/// A vibration motor that records when it turned. Any thread.
///
/// It turns until it is turned off, as a motor on a GPIO line does, so that a test shows that the firmware turns it
/// off; ``hasOwnLimit`` changes that. It keeps the newest ``turnLimit`` turns.
public final class SimulatedMotor: VibrationMotor, AnsweringMotor, Sendable {
    /// One turn of the motor.
    public struct Turn: Sendable, Hashable {
        /// When it began.
        public var start: MonotonicTime
        /// When it ended; nil while the motor turns.
        public var end: MonotonicTime?
        /// Its strength, 0 to 1.
        public var strength: Float

        /// How long it lasted; nil while the motor turns.
        public var length: Duration? { end.map { $0 - start } }
    }

    /// The behaviour of a motor whose device is unplugged.
    public enum UnpluggedBehaviour: Sendable, Hashable {
        /// It stops, as one that the kernel drives does (force feedback).
        case stops
        /// It continues to turn, as one on a GPIO line or an LED may, until its device is back and it is turned off.
        case keepsTurning
    }

    private struct State {
        var turns = Newest<Turn>()
        var ownLimit: (any DeviceTimer)?
        var hasOwnLimit = false
        var unplugged: UnpluggedBehaviour?
        var turnOnError: RingerError?
        var turnOffErrors: [RingerError] = []
        var returnHandler: (@Sendable () -> Void)?
        var isClosed = false

        var isOn: Bool { turns.elements.last.map { $0.end == nil } ?? false }

        mutating func endTurn(at time: MonotonicTime) {
            ownLimit?.cancel()
            ownLimit = nil
            if isOn { turns.elements[turns.elements.count - 1].end = time }
        }
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())

    /// "simulated motor".
    public let name = "simulated motor"
    /// The answers to a `Vibrator`. While one to turning on is late the motor turns, and while one to turning off is late it
    /// turns on: the longest that a slow motor does.
    public let answers = SimulatedAnswers()

    /// A motor that is off, on `clock`.
    public init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// The newest turns, at most ``turnLimit``, in order.
    public var turns: [Turn] { state.withLock { $0.turns.elements } }
    /// How many turns there were in all.
    public var turnCount: Int { state.withLock { $0.turns.count } }
    /// How many turns are kept: 1,000 unless set otherwise.
    public var turnLimit: Int {
        get { state.withLock { $0.turns.limit } }
        set { state.withLock { $0.turns.limit = newValue } }
    }
    /// Whether it is turning.
    public var isOn: Bool { state.withLock { $0.isOn } }
    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the hardware stops the motor after the limit of ``turnOn(strength:limit:)``, as force feedback and the
    /// `transient` trigger do. Applies to later calls.
    public var hasOwnLimit: Bool {
        get { state.withLock { $0.hasOwnLimit } }
        set { state.withLock { $0.hasOwnLimit = newValue } }
    }

    /// Makes every later ``turnOn(strength:limit:)`` throw `error`; nil makes it succeed again.
    public func failTurnOn(with error: RingerError?) {
        state.withLock { $0.turnOnError = error }
    }

    /// Makes the next calls of ``turnOff()`` throw these errors, one each.
    public func failTurnOff(with errors: [RingerError]) {
        state.withLock { $0.turnOffErrors = errors }
    }

    /// Unplugs the motor's device: it can be turned neither on nor off until ``plug()``.
    public func unplug(_ behaviour: UnpluggedBehaviour) {
        state.withLock { state in
            state.unplugged = behaviour
            if behaviour == .stops { state.endTurn(at: clock.now) }
        }
    }

    /// Plugs the motor's device in again, and notifies its owner.
    public func plug() {
        state.withLock { $0.unplugged = nil }
        announceReturn()
    }

    /// Notifies the motor's owner that its device may be back, as a change in the device's directory does, even if it
    /// is not.
    public func announceReturn() {
        state.withLock { $0.returnHandler }?()
    }

    /// Turns the motor on at once; off for a strength or a limit that is not above 0, as hardware does.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        guard strength > 0, limit > .zero else { return try turnOff() }
        let now = clock.now
        let error: RingerError? = state.withLock { state in
            if state.isClosed { return RingerError(.closed, "turn on", name) }
            if state.unplugged != nil { return RingerError(.notFound, "turn on", name) }
            if let error = state.turnOnError { return error }
            if state.turns.elements.last.map({ $0.end == nil && $0.strength == strength }) != true {
                state.endTurn(at: now)
                state.turns.append(Turn(start: now, strength: strength))
            }
            state.ownLimit?.cancel()
            state.ownLimit = nil
            guard state.hasOwnLimit else { return nil }
            state.ownLimit = clock.schedule(at: now + limit) { [weak self] in
                guard let self else { return }
                self.state.withLock { $0.endTurn(at: self.clock.now) }
            }
            return nil
        }
        if let error { throw error }
    }

    /// Turns the motor off at once.
    public func turnOff() throws(RingerError) {
        let error: RingerError? = state.withLock { state in
            switch state.unplugged {
            case .stops: return RingerError("turn off", name, .operationNotSupportedByDevice)
            case .keepsTurning where state.isOn: return RingerError(.unreachable, "turn off", name)
            case .keepsTurning, nil: break
            }
            if !state.turnOffErrors.isEmpty { return state.turnOffErrors.removeFirst() }
            state.endTurn(at: clock.now)
            return nil
        }
        if let error { throw error }
    }

    package func turn(to level: MotorLevel?, answer: @escaping @Sendable (RingerError?) -> Void) {
        guard level != nil else { return answers.give { [self] in answer(turn(to: nil, clock.now)) } }
        let error = turn(to: level, clock.now)
        answers.give { answer(error) }
    }

    /// Calls `handler` from ``plug()`` and ``announceReturn()``.
    public func onReturn(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.returnHandler = handler }
    }

    /// Turns the motor off. It cannot be used afterwards.
    public func close() throws(RingerError) {
        state.withLock { $0.isClosed = true }
        answers.areLate = false
        try turnOff()
    }
}
