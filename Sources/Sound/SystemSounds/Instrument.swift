/// The sound of a note: its partials, its envelope and its vibrato.
package struct Instrument: Sendable, Hashable {
    /// The sines that make up a note.
    package let partials: [Partial]
    /// How each note begins, dies away and ends.
    package let envelope: SoundEnvelope
    /// The rate of the vibrato in hertz; 0 for none.
    package let vibratoRate: Double
    /// The depth of the vibrato to either side, as a fraction of the pitch.
    package let vibratoDepth: Double

    /// An instrument. The vibrato's rate must not be negative, and its depth must be between 0 and 1.
    package init(_ partials: [Partial], _ envelope: SoundEnvelope, vibratoRate: Double = 0, vibratoDepth: Double = 0) {
        precondition(vibratoRate >= 0 && vibratoRate.isFinite, "a vibrato's rate is not negative")
        precondition((0...1).contains(vibratoDepth), "a vibrato's depth lies between 0 and 1")
        self.partials = partials
        self.envelope = envelope
        self.vibratoRate = vibratoRate
        self.vibratoDepth = vibratoDepth
    }

    /// A plain sine at a constant level, for signalling tones.
    package static let signal = Instrument([Partial(1, 1)], .signal)
}

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
