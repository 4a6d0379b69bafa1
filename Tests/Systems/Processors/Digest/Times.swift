import RingerPolicy
import SeededGenerator
import SoundFile

/// Times and durations up to the limits of 64 bits.
enum Times {
    static func report() {
        var digest = Digest()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let (first, second) = (random.time(), random.time())
            let duration = first.duration(to: second)
            digest.add(duration.nanoseconds)
            digest.add((duration * 1_000).nanoseconds)
            digest.add(duration.inSeconds)
            digest.add(first.advanced(by: duration).nanoseconds)
            digest.add(second.advanced(by: duration * 3).nanoseconds)
            digest.add(first.seconds)
            digest.add(first < second)
            let frames = Int64(bitPattern: random.next() >> UInt64(random.below(63) + 1))
            let rate = random.pick([8_000.0, 44_100, 48_000, 192_000, 11_025.5, 1_536_000])
            digest.add(Duration(frames: frames, sampleRate: rate).nanoseconds)
        }
        digest.report("times")
    }
}

extension SeededGenerator {
    fileprivate mutating func time() -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(bitPattern: next()) >> Int64(below(64)))
    }
}
