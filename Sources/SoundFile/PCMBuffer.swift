/// Sound as numbers: interleaved 16-bit samples at a rate.
public struct PCMBuffer: Sendable, Hashable {
    /// Frames a second, in hertz.
    public var sampleRate: Double
    /// Samples in a frame.
    public var channels: Int
    /// The samples, frame by frame, the channels of a frame side by side.
    public var samples: [Int16]

    /// A buffer of `samples`.
    public init(sampleRate: Double, channels: Int, samples: [Int16]) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.samples = samples
    }

    /// Whole frames in the buffer.
    public var frames: Int { channels > 0 ? samples.count / channels : 0 }
}
