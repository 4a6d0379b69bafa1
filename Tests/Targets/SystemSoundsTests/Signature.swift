import Foundation
import SoundFile

/// What a sound is recognised by: how strong each semitone is at each moment.
struct Signature {
    // At 16 kHz: 64 ms every 30 ms, from 110 Hz up six octaves.
    static let sampleRate = 16_000.0
    private static let frame = 1024
    private static let hop = 480
    private static let bands = 72

    private let cells: [[Double]]

    init(_ sound: PCMBuffer) {
        precondition(sound.sampleRate == Self.sampleRate)
        let samples = sound.samples.map { Double($0) } + [Double](repeating: 0, count: Self.frame)
        cells = stride(from: 0, to: sound.samples.count, by: Self.hop).map { start in
            Self.bands(of: Array(samples[start..<start + Self.frame]), sampleRate: sound.sampleRate)
        }
    }

    /// How alike two sounds are: 1 is the same except loudness, 0 has nothing in common. The later of the two may begin
    /// up to 90 ms sooner or later for it: that does not make another sound.
    func likeness(_ other: Signature) -> Double {
        (-3...3).map { likeness(other, shifted: $0) }.max() ?? 0
    }

    private func likeness(_ other: Signature, shifted: Int) -> Double {
        var common = 0.0
        for (index, row) in cells.enumerated() where other.cells.indices.contains(index + shifted) {
            for (left, right) in zip(row, other.cells[index + shifted]) { common += left * right }
        }
        let size = (energy * other.energy).squareRoot()
        return size > 0 ? common / size : 0
    }

    private var energy: Double { cells.reduce(0) { $0 + $1.reduce(0) { $0 + $1 * $1 } } }

    private static func bands(of samples: [Double], sampleRate: Double) -> [Double] {
        var real = samples.enumerated().map { index, sample in
            sample * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(frame)))
        }
        var imaginary = [Double](repeating: 0, count: frame)
        transform(&real, &imaginary)
        var bands = [Double](repeating: 0, count: bands)
        for bin in 1..<frame / 2 {
            let semitone = 12 * log2(Double(bin) * sampleRate / Double(frame) / 110)
            let band = Int(semitone.rounded(.down))
            guard bands.indices.contains(band) else { continue }
            bands[band] += real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
        }
        // Hearing is nearer to the root of the power than to the power.
        return bands.map { $0.squareRoot() }
    }

    /// The discrete Fourier transform in place, for a power of two.
    private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        let count = real.count
        var reversed = 0
        for index in 1..<count {
            var bit = count >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if index < reversed { real.swapAt(index, reversed) }
        }
        var length = 2
        while length <= count {
            for step in 0..<length / 2 {
                let angle = -2 * Double.pi * Double(step) / Double(length)
                let (c, s) = (cos(angle), sin(angle))
                for low in stride(from: step, to: count, by: length) {
                    let high = low + length / 2
                    let r = real[high] * c - imaginary[high] * s
                    let i = real[high] * s + imaginary[high] * c
                    (real[high], imaginary[high]) = (real[low] - r, imaginary[low] - i)
                    real[low] += r
                    imaginary[low] += i
                }
            }
            length *= 2
        }
    }
}
