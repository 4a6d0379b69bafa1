import Foundation
import SoundFile

/// What the tests measure in rendered sound, written without the synthesiser's own arithmetic.
enum Analysis {
    /// The amplitude of one frequency in a stretch of samples, 1 being full scale (Goertzel's algorithm).
    static func amplitude(of frequency: Double, in samples: ArraySlice<Int16>, sampleRate: Double) -> Double {
        let coefficient = 2 * cos(2 * .pi * frequency / sampleRate)
        var (last, beforeLast) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            // A Hann window keeps the neighbours' skirts out.
            let window = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(samples.count))
            let next = Double(sample) / 32_768 * window + coefficient * last - beforeLast
            (beforeLast, last) = (last, next)
        }
        let power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast
        return 4 * max(power, 0).squareRoot() / Double(samples.count)
    }

    /// The frequency near a guess at which a stretch of samples is strongest, to a hundredth of a hertz.
    static func peakFrequency(near guess: Double, in samples: ArraySlice<Int16>, sampleRate: Double) -> Double {
        var best = guess
        for width in [5.0, 0.5, 0.05] {
            let candidates = (-8...8).map { best + Double($0) * width / 5 }
            best =
                candidates.max {
                    amplitude(of: $0, in: samples, sampleRate: sampleRate)
                        < amplitude(of: $1, in: samples, sampleRate: sampleRate)
                } ?? best
        }
        return best
    }

    /// The stretches of a sound that are not silence, in seconds; gaps under `gap` seconds do not part them.
    static func bursts(_ sound: PCMBuffer, gap: Double = 0.01) -> [ClosedRange<Double>] {
        var bursts: [ClosedRange<Double>] = []
        for (index, sample) in sound.samples.enumerated() where abs(Int(sample)) > 32 {
            let time = Double(index) / sound.sampleRate
            if let last = bursts.last, time - last.upperBound < gap {
                bursts[bursts.count - 1] = last.lowerBound...time
            } else {
                bursts.append(time...time)
            }
        }
        return bursts
    }

    /// The loudest sample, 1 being full scale.
    static func peak(_ sound: PCMBuffer) -> Double {
        Double(sound.samples.map { abs(Int($0)) }.max() ?? 0) / 32_768
    }
}
