/// A pattern of the motor: times on and off, the strength, and the repetitions.
public struct VibrationPattern: Sendable, Hashable {
    /// A time on and the time off after it.
    public struct Pulse: Sendable, Hashable {
        /// How long the motor turns; 1 ms or more.
        public var on: Duration
        /// How long the motor rests afterwards; 0 or more.
        public var off: Duration

        /// A pulse of `on` and `off`.
        public init(on: Duration, off: Duration = .zero) {
            self.on = on
            self.off = off
        }
    }

    /// How often the pulses are repeated.
    public enum Repetition: Sendable, Hashable {
        /// So many times, 1 or more. The vibration ends with the last pulse's time on.
        case times(Int)
        /// Until the caller stops it.
        case untilStopped
    }

    /// The pulses, in order; at least one.
    public let pulses: [Pulse]
    /// Above 0, up to 1. A motor without speed control turns at full strength.
    public let strength: Float
    /// How often the pulses are repeated.
    public let repetition: Repetition

    /// A pattern of pulses.
    ///
    /// - Throws: ``RingerError`` with code `invalid` if there is no pulse, a time on is shorter than 1 ms, a time off is
    ///   negative, the strength is not above 0 and up to 1, or the repetition is below 1.
    public init(
        pulses: [Pulse], strength: Float = 1, repetition: Repetition = .times(1)
    ) throws(RingerError) {
        func refuse(_ detail: String) -> RingerError {
            RingerError(.invalid, "use the pattern", "vibration", detail: detail)
        }
        guard !pulses.isEmpty else { throw refuse("it has no pulse") }
        for pulse in pulses {
            // Shorter ones would do nothing but keep the device's thread from its other work.
            guard pulse.on >= .milliseconds(1) else { throw refuse("a turn of \(pulse.on) is shorter than 1 ms") }
            guard pulse.off >= .zero else { throw refuse("a rest of \(pulse.off) is negative") }
        }
        guard strength > 0, strength <= 1 else { throw refuse("a strength of \(strength) is not above 0 and up to 1") }
        if case .times(let count) = repetition, count < 1 { throw refuse("\(count) repetitions are fewer than 1") }
        self.init(checked: pulses, strength, repetition)
    }

    /// Parses a pattern as the command takes it: times on and off in milliseconds, alternating: "400,200,400".
    ///
    /// - Throws: ``RingerError`` with code `invalid` if the text is not of this form.
    public init(
        milliseconds text: String, strength: Float = 1, repetition: Repetition = .times(1)
    ) throws(RingerError) {
        var durations: [Duration] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let milliseconds = Int(part), milliseconds >= 0, milliseconds <= 3_600_000 else {
                throw RingerError(
                    .invalid, "use the pattern", "vibration",
                    detail: "\"\(part)\" in \"\(text)\" is not a number of milliseconds from 0 to 3600000")
            }
            durations.append(.milliseconds(milliseconds))
        }
        let pulses = stride(from: 0, to: durations.count, by: 2).map { index in
            Pulse(on: durations[index], off: index + 1 < durations.count ? durations[index + 1] : .zero)
        }
        try self.init(pulses: pulses, strength: strength, repetition: repetition)
    }

    private init(checked pulses: [Pulse], _ strength: Float, _ repetition: Repetition) {
        self.pulses = pulses
        self.strength = strength
        self.repetition = repetition
    }

    /// 0.4 s on, as phones do for `kSystemSoundID_Vibrate`.
    public static let standard = VibrationPattern(checked: [Pulse(on: .milliseconds(400))], 1, .times(1))

    /// The duration of the pattern, from the first time on to the end of the last, at most 292 years; nil for a pattern
    /// that has to be stopped.
    public var duration: Duration? {
        guard case .times(let count) = repetition, let last = pulses.last else { return nil }
        // `MonotonicTime` saturates sums.
        let start = MonotonicTime(nanoseconds: 0)
        let round = pulses.reduce(start) { $0 + $1.on + $1.off }.nanoseconds
        let (whole, overflow) = round.multipliedReportingOverflow(by: Int64(count))
        return overflow || round == .max ? .nanoseconds(Int64.max) : .nanoseconds(whole) - last.off
    }
}
