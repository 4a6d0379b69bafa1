/// Sounds made by arithmetic, the same on every machine.
enum TestSound: String, CaseIterable, Sendable {
    case speech, music, tone, silence, square, noise

    /// Interleaved 32-bit samples; each channel differs from the others.
    func samples(frames: Int, channels: Int, sampleRate: Double) -> [Int32] {
        var random = Random(seed: 0x5EED)
        var samples: [Int32] = []
        samples.reserveCapacity(frames * channels)
        var smooth = [Double](repeating: 0, count: channels)
        for frame in 0..<frames {
            let time = Double(frame) / sampleRate
            for channel in 0..<channels {
                let noise = random.unit()
                let value: Double
                switch self {
                case .silence:
                    value = 0
                case .noise:
                    value = noise
                case .square:
                    value = Self.sine(time * (200 + Double(channel) * 50)) >= 0 ? 1 : -1
                case .tone:
                    value = 0.7 * Self.sine(time * (440 + 220 * Double(channel)))
                case .music:
                    let beat = time * 4 - (time * 4).rounded(.down)
                    let note = [262.0, 330, 392, 523][Int(time * 4) % 4] + Double(channel)
                    value =
                        (0.3 * Self.sine(time * note) + 0.2 * Self.sine(time * note * 2) + 0.1
                            * Self.sine(time * note * 3)) * (1 - beat) * 1.5
                        + 0.005 * noise
                case .speech:
                    // A voiced buzz through a moving resonance, with hisses and pauses.
                    let syllable = time * 3 - (time * 3).rounded(.down)
                    let buzz = (time * 120 - (time * 120).rounded(.down)) * 2 - 1
                    let source = Int(time * 3) % 4 == 3 ? noise * 0.4 : buzz
                    smooth[channel] += (source - smooth[channel]) * (0.2 + 0.15 * Double(channel % 2))
                    value = syllable > 0.85 ? 0.001 * noise : smooth[channel] * 0.6 * syllable
                }
                samples.append(Int32(max(-1, min(1, value)) * 2_147_483_647))
            }
        }
        return samples
    }

    /// The same, as 16-bit samples.
    func int16(frames: Int, channels: Int, sampleRate: Double) -> [Int16] {
        samples(frames: frames, channels: channels, sampleRate: sampleRate).map { Int16(truncatingIfNeeded: $0 >> 16) }
    }

    /// The sine of a phase in turns, by a series that needs no library.
    private static func sine(_ turns: Double) -> Double {
        var angle = (turns - turns.rounded()) * 2 * Double.pi
        if angle > .pi / 2 { angle = .pi - angle }
        if angle < -.pi / 2 { angle = -.pi - angle }
        let square = angle * angle
        return angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))))
    }
}

/// A small generator whose numbers are the same on every machine.
struct Random {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var mixed = state
        mixed = (mixed ^ mixed >> 31) &* 0x9E37_79B9_7F4A_7C15
        return mixed ^ mixed >> 29
    }

    /// From -1 to 1.
    mutating func unit() -> Double {
        Double(Int64(bitPattern: next())) / 9_223_372_036_854_775_808
    }
}
