/// One run of the motor and the rest that follows it.
///
/// A pattern is a list of these, played once from first to last. The `off` of the last pulse is zero.
public struct VibrationPulse: Sendable, Hashable {
    /// How long the motor runs. Never under 60 ms: a small eccentric motor needs most of that to turn at all.
    public let on: Duration
    /// How long it rests before the next pulse.
    public let off: Duration
    /// How strongly it runs: above 0 and up to 1, where 1 is all the motor gives.
    public let strength: Double

    /// Makes a pulse; the times must not be negative and the strength must lie between 0 and 1.
    public init(on: Duration, off: Duration = .zero, strength: Double = 1) {
        precondition(on >= .zero && off >= .zero, "a pulse's times are not negative")
        precondition((0...1).contains(strength), "a pulse's strength lies between 0 and 1")
        self.on = on
        self.off = off
        self.strength = strength
    }
}
