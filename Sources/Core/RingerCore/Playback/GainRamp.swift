/// The gain of a sound over its frames: a linear ramp between two values, constant before and after it.
package struct GainRamp: Sendable, Hashable {
    private var from: Float
    private var to: Float
    private var start: Int64 = 0
    private var frames: Int64 = 0

    /// A constant gain, clamped to 0...1.
    package init(_ gain: Float) {
        from = Self.valid(gain)
        to = from
    }

    /// Ramps from the gain at `frame` to `gain` over the following `frames` frames.
    package mutating func go(to gain: Float, from frame: Int64, over frames: Int) {
        from = self.gain(at: frame)
        to = Self.valid(gain)
        start = frame
        self.frames = Int64(max(0, frames))
    }

    /// The gain at `frame`.
    package func gain(at frame: Int64) -> Float {
        if frame - start >= frames { return to }
        if frame <= start { return from }
        return from + (to - from) * (Float(frame - start) / Float(frames))
    }

    /// Whether all frames from `frame` on have gain 1.
    package func isUnity(from frame: Int64) -> Bool {
        to == 1 && (from == 1 || frame - start >= frames)
    }

    /// Replaces `output` with as many frames of `sound` as `range` has, from the frame `first` on and over again, multiplied by
    /// the gain at `range`.
    package func apply(to sound: PCMBuffer, from first: Int, frames range: Range<Int64>, into output: inout [Int16]) {
        let channels = sound.channels
        var place = first
        output.removeAll(keepingCapacity: true)
        for frame in range {
            let gain = gain(at: frame)
            for index in place * channels..<(place + 1) * channels {
                // A gain of at most 1 cannot leave the range of 16 bits.
                output.append(Int16((Float(sound.samples[index]) * gain).rounded()))
            }
            place = place + 1 == sound.frames ? 0 : place + 1
        }
    }

    /// `gain` clamped to 0...1; NaN becomes 0.
    private static func valid(_ gain: Float) -> Float {
        gain > 0 ? min(gain, 1) : 0
    }
}
