import Glibc
import Ringer

/// The ring tone where no file is named: two bursts of 400 and 450 Hz.
enum RingTone {
    /// One round of it.
    static func standard(sampleRate: Double = 48_000) -> PCMBuffer {
        let burst = burst(sampleRate)
        let gap = [Int16](repeating: 0, count: Int(sampleRate * 0.2))
        return PCMBuffer(sampleRate: sampleRate, channels: 1, samples: burst + gap + burst)
    }

    /// 0.4 s, with ramps of 10 ms: without them a click is heard.
    private static func burst(_ sampleRate: Double) -> [Int16] {
        let frames = Int(sampleRate * 0.4)
        let ramp = sampleRate * 0.01
        return (0..<frames).map { frame in
            let turns = 2 * Double.pi * Double(frame) / sampleRate
            let gain = min(1, Double(min(frame, frames - 1 - frame)) / ramp)
            return Int16(((sin(400 * turns) + sin(450 * turns)) * gain * 12_000).rounded())
        }
    }
}
