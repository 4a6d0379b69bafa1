/// One sine of an instrument's sound.
package struct Partial: Sendable, Hashable {
    /// Its frequency as a multiple of the note's.
    package let ratio: Double
    /// Its amplitude as a fraction of the note's.
    package let level: Double
    /// How fast it decays: its half-life as a fraction of the envelope's. Ignored if the envelope has no half-life.
    package let persistence: Double

    /// Makes a partial; all three must be above 0.
    package init(_ ratio: Double, _ level: Double, persistence: Double = 1) {
        precondition(ratio > 0 && level > 0 && persistence > 0, "a partial's values are above 0")
        self.ratio = ratio
        self.level = level
        self.persistence = persistence
    }
}
