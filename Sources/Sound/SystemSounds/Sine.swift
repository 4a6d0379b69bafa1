/// A sine by polynomial, for the many samples of a sound: no table, no C library, the same bits on every machine.
enum Sine {
    /// `sin(2 * pi * turns)` for up to 2^31 turns either way, to within 1e-7 of the true value.
    @inline(__always)
    static func ofTurns(_ turns: Double) -> Double {
        // A quarter turn back, the sine is a cosine, whose halves mirror each other: the fold below leaves at most a
        // quarter turn to either side of zero, where the series of the sine is short. Adding and taking away 1.5 * 2^52
        // rounds to a whole number without leaving the floating-point unit, so that the compiler can do several at once.
        let shifted = turns - 0.25
        let whole = (shifted + 0x1.8p52) - 0x1.8p52
        let x = (0.25 - abs(shifted - whole)) * (2 * Double.pi)
        let square = x * x
        // The Taylor series to x^11.
        let tail = 2.7557319223985893e-6 - square * 2.5052108385441720e-8
        return x * (1 - square * (1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040 - square * tail))))
    }

    /// A raised-cosine ramp: 0 at 0, 1 at 1, level at both ends.
    @inline(__always)
    static func ramp(_ progress: Double) -> Double {
        0.5 - 0.5 * ofTurns(progress * 0.5 + 0.25)
    }
}
