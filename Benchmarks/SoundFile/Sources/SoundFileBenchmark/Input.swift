import Foundation

/// The sound to decode.
enum Input {
    /// Chords with some noise: neither trivial nor extreme for a codec.
    static func music(frames: Int, channels: Int) -> [Int16] {
        var seed: UInt32 = 1
        return (0..<frames * channels).map { place in
            let time = Double(place / channels) / 48_000
            seed = seed &* 1_664_525 &+ 1_013_904_223
            let noise = Double(Int32(bitPattern: seed)) / 2_147_483_648 * 200
            let note = [262.0, 330, 392, 523][Int(time * 4) % 4] + Double(place % channels)
            return Int16(9000 * sin(time * note * 6.283) + 4000 * sin(time * note * 2 * 6.283) + noise)
        }
    }
}
