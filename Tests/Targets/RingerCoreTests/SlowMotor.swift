import RingerCore
import RingerTestKit
import Synchronization

/// A motor whose calls take a while of the clock's time, as one on a slow bus. It turns from the call of `turnOn` on, and to
/// the end of `turnOff`. Any thread.
final class SlowMotor: VibrationMotor {
    private struct State {
        var duringTurnOff: [@Sendable () throws(RingerError) -> Void] = []
        var callsUnderWay = 0
        var mostCallsUnderWay = 0
    }

    let name = "slow motor"
    /// Its turns.
    let record: SimulatedMotor
    /// When it was asked to turn on and off, in order.
    let calls = Record<(isOn: Bool, at: MonotonicTime)>()
    private let clock: VirtualClock
    private let turnOnTakes: Duration
    private let turnOffTakes: Duration
    private let state = Mutex(State())

    init(_ clock: VirtualClock, turnOnTakes: Duration = .zero, turnOffTakes: Duration) {
        self.clock = clock
        self.turnOnTakes = turnOnTakes
        self.turnOffTakes = turnOffTakes
        record = SimulatedMotor(clock: clock)
    }

    /// How many calls were under way at once.
    var mostCallsUnderWay: Int { state.withLock { $0.mostCallsUnderWay } }

    /// Runs `body` at the beginning of the next ``turnOff()`` without one: what another thread does meanwhile. The call
    /// throws its error at its end, and leaves the motor as it is.
    func duringTurnOff(_ body: @escaping @Sendable () throws(RingerError) -> Void) {
        state.withLock { $0.duringTurnOff.append(body) }
    }

    func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        try call(isOn: true) { () throws(RingerError) in
            try record.turnOn(strength: strength, limit: limit)
            clock.advance(by: turnOnTakes)
        }
    }

    func turnOff() throws(RingerError) {
        try call(isOn: false) { () throws(RingerError) in
            let meanwhile = state.withLock { $0.duringTurnOff.isEmpty ? nil : $0.duringTurnOff.removeFirst() }
            defer { clock.advance(by: turnOffTakes) }
            try meanwhile?()
        }
        try record.turnOff()
    }

    func onReturn(_ handler: @escaping @Sendable () -> Void) {
        record.onReturn(handler)
    }

    func close() throws(RingerError) {
        try record.close()
    }

    private func call(isOn: Bool, _ body: () throws(RingerError) -> Void) throws(RingerError) {
        calls.append((isOn, clock.now))
        state.withLock { state in
            state.callsUnderWay += 1
            state.mostCallsUnderWay = max(state.mostCallsUnderWay, state.callsUnderWay)
        }
        defer { state.withLock { $0.callsUnderWay -= 1 } }
        try body()
    }
}

/// A vibrator on a motor whose calls take a while, in virtual time.
struct SlowMotorBench {
    let clock = VirtualClock()
    let motor: SlowMotor
    let vibrator: Vibrator
    let ends = Record<SoundOutcome>()
    let start: MonotonicTime

    init(longestOnTime: Duration = .seconds(10), turnOnTakes: Duration = .zero, turnOffTakes: Duration) {
        start = clock.now
        motor = SlowMotor(clock, turnOnTakes: turnOnTakes, turnOffTakes: turnOffTakes)
        vibrator = Vibrator(motor: motor, clock: clock, longestOnTime: longestOnTime)
    }

    /// Begins `pattern`; its end goes to `ends`.
    func play(_ pattern: VibrationPattern) {
        vibrator.start(pattern) { [ends] in ends.append($0) }
    }

    /// The calls in milliseconds since the bench was made: "on 0, off 400".
    var calls: String {
        motor.calls.all.map { "\($0.isOn ? "on" : "off") \(($0.at - start).nanoseconds / 1_000_000)" }
            .joined(separator: ", ")
    }

    /// How long the motor turned in all.
    var onTime: Duration { motor.record.turns.compactMap(\.length).reduce(.zero, +) }
}
