/// What a note sounds like: its partials, its envelope and its vibrato.
package struct Instrument: Sendable, Hashable {
    /// The sines that make up a note.
    package let partials: [Partial]
    /// How each note begins, dies away and ends.
    package let envelope: SoundEnvelope
    /// How many times a second the pitch wavers, in hertz; 0 holds it.
    package let vibratoRate: Double
    /// How far the pitch wavers to either side, as a fraction of it.
    package let vibratoDepth: Double

    /// Makes an instrument; the vibrato's rate must not be negative, and its depth lies between 0 and 1.
    package init(_ partials: [Partial], _ envelope: SoundEnvelope, vibratoRate: Double = 0, vibratoDepth: Double = 0) {
        precondition(vibratoRate >= 0 && vibratoRate.isFinite, "a vibrato's rate is not negative")
        precondition((0...1).contains(vibratoDepth), "a vibrato's depth lies between 0 and 1")
        self.partials = partials
        self.envelope = envelope
        self.vibratoRate = vibratoRate
        self.vibratoDepth = vibratoDepth
    }

    /// A bare sine held at its level: what signalling tones are made of.
    package static let signal = Instrument([Partial(1, 1)], .signal)
}
