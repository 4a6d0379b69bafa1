extension Duration {
    /// The time that `frames` frames take at `sampleRate` hertz; exact to a nanosecond for whole rates.
    ///
    /// The rate is positive and finite, and the frame count not negative.
    package init(frames: Int64, sampleRate: Double) {
        if let rate = Int64(exactly: sampleRate), rate > 0, rate < 4_000_000_000 {
            let nanoseconds = (frames % rate) * 1_000_000_000 / rate
            self = .seconds(frames / rate) + .nanoseconds(nanoseconds)
        } else {
            self = .seconds(min(Double(frames) / sampleRate, 1e12))
        }
    }

    /// The duration in seconds, as near as a `Double` comes.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension BinaryInteger {
    /// The number and what it counts: "1 frame", "2 frames".
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
