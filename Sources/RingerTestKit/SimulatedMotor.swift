import RingerServices
import Synchronization

/// A vibration motor that records when it turned.
public final class SimulatedMotor: VibrationMotor, Sendable {
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

    private struct State {
        var turns: [Turn] = []
        var limit: (any DeviceTimer)?
        var turnOnError: RingerError?
        var turnOffErrors: [RingerError] = []
        var isClosed = false

        mutating func endTurn(at time: MonotonicTime) {
            limit?.cancel()
            limit = nil
            if let last = turns.indices.last, turns[last].end == nil { turns[last].end = time }
        }
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())

    /// "simulated motor".
    public let name = "simulated motor"

    /// A motor at rest.
    public init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// Every turn until now, in order.
    public var turns: [Turn] { state.withLock { $0.turns } }
    /// Whether it turns now.
    public var isOn: Bool { state.withLock { $0.turns.last.map { $0.end == nil } ?? false } }
    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Makes every later ``turnOn(strength:limit:)`` throw `error`; nil makes it succeed again.
    public func failTurnOn(with error: RingerError?) {
        state.withLock { $0.turnOnError = error }
    }

    /// Makes the next calls of ``turnOff()`` throw these, one each.
    public func failTurnOff(with errors: [RingerError]) {
        state.withLock { $0.turnOffErrors = errors }
    }

    /// Turns, as hardware does that stops by itself after `limit`.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        let now = clock.now
        let error: RingerError? = state.withLock { state in
            if let error = state.turnOnError { return error }
            if state.turns.last.map({ $0.end == nil && $0.strength == strength }) != true {
                state.endTurn(at: now)
                state.turns.append(Turn(start: now, strength: strength))
            }
            state.limit?.cancel()
            state.limit = clock.schedule(at: now + limit) { [weak self] in
                guard let self else { return }
                self.state.withLock { $0.endTurn(at: self.clock.now) }
            }
            return nil
        }
        if let error { throw error }
    }

    /// Rests.
    public func turnOff() throws(RingerError) {
        let error: RingerError? = state.withLock { state in
            if !state.turnOffErrors.isEmpty { return state.turnOffErrors.removeFirst() }
            state.endTurn(at: clock.now)
            return nil
        }
        if let error { throw error }
    }

    /// Rests, for good.
    public func close() throws(RingerError) {
        state.withLock { $0.isClosed = true }
        try turnOff()
    }
}
