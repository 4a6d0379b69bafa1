/// One run of the motor and the rest that follows it.
///
/// A pattern is a list of these, played once from first to last. The `off` of the last pulse is zero.
package struct VibrationPulse: Sendable, Hashable {
    /// How long the motor runs. The predefined patterns stay over 60 ms: a small eccentric motor needs most of that to
    /// turn at all.
    package let on: Duration
    /// How long it rests before the next pulse.
    package let off: Duration
    /// How strongly it runs: above 0 and up to 1, where 1 is all the motor gives.
    /// The predefined patterns keep one strength throughout.
    package let strength: Double

    /// Makes a pulse; `on` is longer than nothing, `off` is not negative, and the strength is above 0 and up to 1.
    package init(on: Duration, off: Duration = .zero, strength: Double = 1) {
        precondition(on > .zero && off >= .zero, "a pulse runs, and does not rest for less than nothing")
        precondition(strength > 0 && strength <= 1, "a strength is above 0 and up to 1")
        self.on = on
        self.off = off
        self.strength = strength
    }
}
