// The instruments the recipes are written for.
extension Instrument {
    /// A struck bell: partials out of tune with each other, the high ones dying first.
    static let bell = Instrument(
        [
            Partial(1, 1), Partial(2, 0.5, persistence: 0.7), Partial(2.76, 0.35, persistence: 0.45),
            Partial(5.4, 0.2, persistence: 0.25),
        ], decaying(halfLife: 0.16))
    /// A small glass bowl: nearly a sine, ringing long.
    static let glass = Instrument(
        [Partial(1, 1), Partial(2.71, 0.25, persistence: 0.5), Partial(5.15, 0.12, persistence: 0.2)],
        decaying(halfLife: 0.22))
    /// A wooden bar: a short fundamental under a knock.
    static let wood = Instrument(
        [Partial(1, 1), Partial(3.93, 0.35, persistence: 0.3), Partial(9.2, 0.15, persistence: 0.12)],
        decaying(halfLife: 0.06, attack: 0.001))
    /// A plucked string.
    static let string = Instrument(
        [
            Partial(1, 1), Partial(2, 0.6, persistence: 0.8), Partial(3, 0.4, persistence: 0.6),
            Partial(4, 0.25, persistence: 0.45), Partial(5, 0.15, persistence: 0.35),
        ], decaying(halfLife: 0.12))
    /// A toy piano's rod.
    static let rod = Instrument(
        [Partial(1, 1), Partial(2.02, 0.25, persistence: 0.6), Partial(6.1, 0.3, persistence: 0.2)],
        decaying(halfLife: 0.1))
    /// A flute, blown softly.
    static let flute = Instrument(
        [Partial(1, 1), Partial(2, 0.18), Partial(3, 0.06)],
        SoundEnvelope(attack: .milliseconds(25), release: .milliseconds(40)), vibratoRate: 5.5, vibratoDepth: 0.004)
    /// A reed: odd partials, a nasal tone.
    static let reed = Instrument(
        [Partial(1, 1), Partial(2, 0.1), Partial(3, 0.55), Partial(5, 0.3), Partial(7, 0.15)],
        SoundEnvelope(attack: .milliseconds(15), release: .milliseconds(25)))
    /// A brass section.
    static let brass = Instrument(
        [
            Partial(1, 1), Partial(2, 0.8), Partial(3, 0.65), Partial(4, 0.45), Partial(5, 0.3), Partial(6, 0.2),
        ], SoundEnvelope(attack: .milliseconds(20), release: .milliseconds(35)))
    /// A small organ.
    static let organ = Instrument(
        [Partial(0.5, 0.35), Partial(1, 1), Partial(2, 0.5), Partial(4, 0.3)],
        SoundEnvelope(attack: .milliseconds(10), release: .milliseconds(20)))
    /// A beeper: the first partials of a square wave.
    static let beeper = Instrument(
        [Partial(1, 1), Partial(3, 1.0 / 3), Partial(5, 0.2), Partial(7, 1.0 / 7)],
        SoundEnvelope(attack: .milliseconds(2), release: .milliseconds(3)))
    /// A pure tone with soft ends.
    static let pure = Instrument(
        [Partial(1, 1)], SoundEnvelope(attack: .milliseconds(5), release: .milliseconds(10)))
    /// A drop of water, a tap: a pure tone that is gone at once.
    static let drop = Instrument([Partial(1, 1), Partial(2, 0.15)], decaying(halfLife: 0.03, attack: 0.001))
    /// A click with a pitch.
    static let tap = Instrument(
        [Partial(1, 1), Partial(2.3, 0.5, persistence: 0.5)],
        SoundEnvelope(attack: .milliseconds(1), halfLife: .milliseconds(6), release: .milliseconds(6)))
    /// Voices far away.
    static let choir = Instrument(
        [Partial(1, 1), Partial(2, 0.4), Partial(3, 0.25), Partial(4, 0.06)],
        SoundEnvelope(attack: .milliseconds(90), release: .milliseconds(150)), vibratoRate: 4.8, vibratoDepth: 0.006)

    private static func decaying(halfLife: Double, attack: Double = 0.002) -> SoundEnvelope {
        SoundEnvelope(attack: .seconds(attack), halfLife: .seconds(halfLife), release: .milliseconds(30))
    }
}
