/// One tone or burst of noise within a sound.
package struct SoundPart: Sendable, Hashable {
    /// What sounds.
    package enum Source: Sendable, Hashable {
        /// A note: its frequency in hertz moves evenly from the first to the second value.
        case tone(from: Double, to: Double, Instrument)
        /// Noise around a centre in hertz that moves evenly from the first to the second value. The quality is the
        /// centre divided by the width of the band: 0.5 is a rush of air, 20 nearly a tone.
        case noise(from: Double, to: Double, quality: Double, SoundEnvelope)
    }

    /// When it begins, from the beginning of the sound.
    package let start: Duration
    /// How long it lasts, ramps included.
    package let length: Duration
    /// Its amplitude, 1 being full scale. Noise is scaled to sound about as loud as a tone of the same level.
    package let level: Double
    /// What sounds.
    package let source: Source

    /// Makes a part; it must not begin before the sound does nor end before it begins, frequencies are positive, and
    /// the level is not negative.
    package init(at start: Duration, for length: Duration, level: Double, _ source: Source) {
        precondition(start >= .zero && length >= .zero, "a part lies within its sound")
        precondition(level >= 0 && level.isFinite, "a level is not negative")
        switch source {
        case .tone(let from, let to, _), .noise(let from, let to, _, _):
            precondition(from > 0 && to > 0 && from.isFinite && to.isFinite, "a frequency is positive")
        }
        self.start = start
        self.length = length
        self.level = level
        self.source = source
    }

    /// When it ends, from the beginning of the sound.
    package var end: Duration { start + length }
}
