// How the recipes are written down.

/// A step of a melody: a note or a rest, and how many beats pass until the next.
enum MelodyStep {
    case note(Pitch, Double)
    case chord([Pitch], Double)
    case rest(Double)
}

extension SoundRecipe {
    /// A melody of one instrument, and nothing else: see ``melody(_:beat:at:ring:level:_:)``.
    init(_ instrument: Instrument, beat: Double, ring: Double = 0, peak: Double, _ steps: [MelodyStep]) {
        self.init(melody(instrument, beat: beat, ring: ring, steps), peak: peak)
    }
}

/// Notes one after the other, at `beat` seconds to the beat. Each note rings on for `ring` seconds past its beats.
func melody(
    _ instrument: Instrument, beat: Double, at start: Double = 0, ring: Double = 0, level: Double = 1,
    _ steps: [MelodyStep]
) -> [SoundPart] {
    var parts: [SoundPart] = []
    var now = start
    for step in steps {
        switch step {
        case .note(let pitch, let beats):
            parts.append(note(instrument, pitch, at: now, for: beats * beat + ring, level: level))
            now += beats * beat
        case .chord(let pitches, let beats):
            parts += pitches.map { note(instrument, $0, at: now, for: beats * beat + ring, level: level) }
            now += beats * beat
        case .rest(let beats):
            now += beats * beat
        }
    }
    return parts
}

/// One note; times in seconds.
func note(
    _ instrument: Instrument, _ pitch: Pitch, at start: Double, for length: Double, level: Double = 1
) -> SoundPart {
    glide(instrument, from: pitch.frequency, to: pitch.frequency, at: start, for: length, level: level)
}

/// A tone whose pitch moves evenly between two frequencies in hertz; times in seconds.
func glide(
    _ instrument: Instrument, from: Double, to: Double, at start: Double, for length: Double, level: Double = 1
) -> SoundPart {
    SoundPart(at: .seconds(start), for: .seconds(length), level: level, .tone(from: from, to: to, instrument))
}

/// A burst of noise around a centre in hertz; times in seconds.
func burst(
    from: Double, to: Double? = nil, quality: Double = 1, at start: Double, for length: Double, level: Double = 1,
    attack: Double = 0.001, halfLife: Double? = nil, release: Double = 0.005
) -> SoundPart {
    let envelope = SoundEnvelope(
        attack: .seconds(attack), halfLife: halfLife.map { .seconds($0) }, release: .seconds(release))
    return SoundPart(
        at: .seconds(start), for: .seconds(length), level: level,
        .noise(from: from, to: to ?? from, quality: quality, envelope))
}

/// Sines sounding together, on and off; times in seconds. The silence after the last burst belongs to the sound, so
/// that a sound repeated from completion to completion keeps the cadence.
func cadence(_ frequencies: [Double], on: Double, off: Double, times: Int, level: Double) -> SoundRecipe {
    let parts = (0..<times).flatMap { round in
        frequencies.map {
            glide(.signal, from: $0, to: $0, at: Double(round) * (on + off), for: on, level: level)
        }
    }
    return SoundRecipe(parts, duration: .seconds(Double(times) * (on + off)))
}
