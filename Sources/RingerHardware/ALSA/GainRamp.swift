import SoundFile

/// The gain of a sound over its frames: even from one value to another, steady before and after.
struct GainRamp: Sendable, Hashable {
    private var from: Float
    private var to: Float
    private var start = 0
    private var frames = 0

    /// The same gain throughout, held to 0 to 1.
    init(_ gain: Float) {
        from = Self.valid(gain)
        to = from
    }

    /// Goes to `gain` from the gain at `frame`, over the `frames` that follow it.
    mutating func go(to gain: Float, from frame: Int, over frames: Int) {
        from = self.gain(at: frame)
        to = Self.valid(gain)
        start = frame
        self.frames = max(0, frames)
    }

    /// The gain of the frame `frame`.
    func gain(at frame: Int) -> Float {
        if frame - start >= frames { return to }
        if frame <= start { return from }
        return from + (to - from) * (Float(frame - start) / Float(frames))
    }

    /// Whether every frame from `frame` on is played as it is.
    func isUnity(from frame: Int) -> Bool {
        to == 1 && (from == 1 || frame - start >= frames)
    }

    /// Puts the frames `range` of `sound` into `output` with their gain, replacing what was there.
    func apply(to sound: PCMBuffer, frames range: Range<Int>, into output: inout [Int16]) {
        let channels = sound.channels
        output.removeAll(keepingCapacity: true)
        for frame in range {
            let gain = gain(at: frame)
            for index in frame * channels..<(frame + 1) * channels {
                // A gain of at most 1 cannot leave the range of 16 bits.
                output.append(Int16((Float(sound.samples[index]) * gain).rounded()))
            }
        }
    }

    /// `gain` held to 0 to 1; what is not a number is silence.
    private static func valid(_ gain: Float) -> Float {
        gain > 0 ? min(gain, 1) : 0
    }
}
