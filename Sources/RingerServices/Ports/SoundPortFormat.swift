/// The format that a PCM granted, as sessions report it: behind conversion, that of the hardware.
public struct SoundPortFormat: Sendable, Hashable {
    /// Frames a second.
    public var sampleRate: Double
    /// Samples in a frame.
    public var channels: Int
    /// The duration of a period: what the hardware takes, or gives, at a time.
    public var bufferDuration: Duration
    /// The least time from the program to the output, or from the input to the program: a period, plus the delay that
    /// the driver reports beyond its buffer.
    ///
    /// Frames that the program has written ahead add to it; a sound's first frame has none ahead of it.
    public var latency: Duration

    /// A format.
    public init(sampleRate: Double, channels: Int, bufferDuration: Duration, latency: Duration) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bufferDuration = bufferDuration
        self.latency = latency
    }
}
