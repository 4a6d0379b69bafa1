/// Sound in memory: interleaved 32-bit floating-point samples, full scale at 1, with their rate and channel count.
public struct FloatPCMBuffer: Sendable, Equatable {
    /// Frames in a second, in hertz.
    public var sampleRate: Double
    /// Samples in a frame, at least 1.
    public var channels: Int
    /// The samples, channel after channel within each frame; full scale is -1 to 1, and a float file may exceed it.
    public var samples: [Float]

    /// Makes a buffer of interleaved samples; the rate is positive, and the last frame is whole.
    public init(sampleRate: Double, channels: Int, samples: [Float]) {
        precondition(sampleRate > 0 && sampleRate.isFinite, "a sample rate is positive")
        precondition(channels > 0, "a sound has at least one channel")
        precondition(samples.count % channels == 0, "the last frame is whole")
        self.sampleRate = sampleRate
        self.channels = channels
        self.samples = samples
    }

    /// How many frames there are.
    public var frames: Int { channels > 0 ? samples.count / channels : 0 }

    /// How long the sound lasts.
    public var duration: Duration { Duration(frames: Int64(frames), sampleRate: sampleRate) }
}
