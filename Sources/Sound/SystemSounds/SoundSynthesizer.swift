import SoundFile

/// Renders recipes to PCM: the same samples for the same recipe and rate, on every machine.
package enum SoundSynthesizer {
    /// The highest amplitude any sample reaches: 3 dB below full scale.
    package static let ceiling = 0.7079

    /// Renders a recipe as one channel of 16-bit samples.
    ///
    /// `sampleRate` is in hertz, 8,000 to 192,000; what lies too high for it is left out. A recipe whose sum would
    /// pass the ceiling is scaled down to it as a whole.
    package static func render(_ recipe: SoundRecipe, sampleRate: Double = 48_000) -> PCMBuffer {
        precondition((8_000...192_000).contains(sampleRate), "the sample rate is out of range")
        var mix = [Double](repeating: 0, count: frames(recipe.duration, sampleRate))
        for (index, part) in recipe.parts.enumerated() {
            add(part, seed: UInt64(index), to: &mix, sampleRate: sampleRate)
        }
        return PCMBuffer(sampleRate: sampleRate, channels: 1, samples: quantized(mix, peak: recipe.peak))
    }

    private static let blockLength = 64

    private static func frames(_ time: Duration, _ sampleRate: Double) -> Int {
        Int((time.inSeconds * sampleRate).rounded())
    }

    private static func quantized(_ mix: [Double], peak: Double?) -> [Int16] {
        var loudest = 0.0
        for sample in mix { loudest = max(loudest, abs(sample)) }
        guard loudest > 0 else { return [Int16](repeating: 0, count: mix.count) }
        let scale = (peak.map { $0 / loudest } ?? min(1, ceiling / loudest)) * 32_767
        return mix.map { Int16(($0 * scale).rounded()) }
    }

    private static func add(_ part: SoundPart, seed: UInt64, to mix: inout [Double], sampleRate: Double) {
        let first = frames(part.start, sampleRate)
        let count = min(frames(part.length, sampleRate), mix.count - first)
        guard count > 0 else { return }
        var voice: [Double]
        let envelope: SoundEnvelope
        switch part.source {
        case .tone(let from, let to, let instrument):
            envelope = instrument.envelope
            voice = tone(from: from, to: to, instrument, count: count, sampleRate: sampleRate)
        case .noise(let from, let to, let quality, let noiseEnvelope):
            envelope = noiseEnvelope
            voice = noise(from: from, to: to, quality, noiseEnvelope, seed: seed, count: count, sampleRate: sampleRate)
        }
        shape(&voice, envelope, sampleRate: sampleRate)
        for index in 0..<count { mix[first + index] += part.level * voice[index] }
    }

    private static func tone(
        from: Double, to: Double, _ instrument: Instrument, count: Int, sampleRate: Double
    ) -> [Double] {
        var voice = [Double](repeating: 0, count: count)
        let steady = from == to && instrument.vibratoDepth == 0
        // For a constant pitch the phase follows from the frame number.
        let phase = steady ? [] : movingPhase(from: from, to: to, instrument, count: count, sampleRate: sampleRate)
        let highest = max(from, to) * (1 + instrument.vibratoDepth)
        for partial in instrument.partials where highest * partial.ratio < 0.45 * sampleRate {
            let decay = decayPerFrame(instrument.envelope.halfLife, partial.persistence, sampleRate)
            add(partial, decay: decay, step: from * partial.ratio / sampleRate, phase: phase, to: &voice)
        }
        return voice
    }

    /// Adds one partial: `step` turns a frame, or the given phases where there are any.
    ///
    /// The level dies away in blocks that share one table of levels: multiplying from frame to frame would leave the
    /// compiler nothing to do side by side, and the wrapping additions keep it free to do so.
    private static func add(
        _ partial: Partial, decay: Double, step: Double, phase: [Double], to voice: inout [Double]
    ) {
        var levels = [Double](repeating: 1, count: blockLength)
        for index in 1..<blockLength { levels[index] = levels[index - 1] * decay }
        let blockDecay = levels[blockLength - 1] * decay
        var level = partial.level
        let table = levels.span
        let phases = phase.span
        var target = voice.mutableSpan
        for block in stride(from: 0, to: target.count, by: blockLength) {
            let length = min(blockLength, target.count - block)
            if phases.isEmpty {
                for index in 0..<length {
                    target[block &+ index] += level * table[index] * Sine.ofTurns(Double(block &+ index) * step)
                }
            } else {
                for index in 0..<length {
                    target[block &+ index] +=
                        level * table[index] * Sine.ofTurns(phases[block &+ index] * partial.ratio)
                }
            }
            level *= blockDecay
        }
    }

    /// The phase in turns at each frame of a note with a changing pitch.
    private static func movingPhase(
        from: Double, to: Double, _ instrument: Instrument, count: Int, sampleRate: Double
    ) -> [Double] {
        var phase = [Double](repeating: 0, count: count)
        var turns = 0.0
        let slope = (to - from) / Double(count)
        for index in 0..<count {
            phase[index] = turns
            let wavering = Sine.ofTurns(Double(index) * instrument.vibratoRate / sampleRate) * instrument.vibratoDepth
            turns += (from + slope * Double(index)) * (1 + wavering) / sampleRate
        }
        return phase
    }

    private static func noise(
        from: Double, to: Double, _ quality: Double, _ envelope: SoundEnvelope, seed: UInt64, count: Int,
        sampleRate: Double
    ) -> [Double] {
        var generator = NoiseGenerator(seed: seed)
        var filter = BandFilter(sampleRate: sampleRate, quality: quality)
        let decay = decayPerFrame(envelope.halfLife, 1, sampleRate)
        let slope = (to - from) / Double(count)
        var level = 1.0
        var voice = [Double](repeating: 0, count: count)
        for index in 0..<count {
            voice[index] = level * filter.pass(generator.next(), centre: from + slope * Double(index))
            level *= decay
        }
        return voice
    }

    /// The factor of the level from frame to frame: 2 to the power of -1 / (frames of the half-life).
    private static func decayPerFrame(_ halfLife: Duration?, _ persistence: Double, _ sampleRate: Double) -> Double {
        guard let halfLife else { return 1 }
        // At least ten frames, so that the exponent is small and four terms of the exponential are exact.
        let exponent = -0.6931471805599453 / max(halfLife.inSeconds * persistence * sampleRate, 10)
        return 1 + exponent * (1 + exponent / 2 * (1 + exponent / 3 * (1 + exponent / 4)))
    }

    /// Applies the ramps at both ends: the first and the last frame are zero.
    private static func shape(_ voice: inout [Double], _ envelope: SoundEnvelope, sampleRate: Double) {
        var attack = envelope.attack.inSeconds * sampleRate
        var release = envelope.release.inSeconds * sampleRate
        let available = Double(voice.count - 1)
        if attack + release > available {
            let squeeze = available / (attack + release)
            attack *= squeeze
            release *= squeeze
        }
        var index = 0
        while Double(index) < attack {
            voice[index] *= Sine.ramp(Double(index) / attack)
            index += 1
        }
        index = 0
        while Double(index) < release {
            voice[voice.count - 1 - index] *= Sine.ramp(Double(index) / release)
            index += 1
        }
    }
}

/// White noise that is the same every time: a SplitMix64 sequence from a given seed.
struct NoiseGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next sample: evenly spread between -1 and 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(Int64(bitPattern: mixed) >> 11) * 0x1p-52
    }
}

extension Duration {
    /// This time in seconds, as near as a `Double` comes.
    var inSeconds: Double {
        let (whole, attoseconds) = components
        return Double(whole) + Double(attoseconds) * 1e-18
    }
}
