/// What a PCM was granted, as sessions tell it: where something converts, the figures of the hardware behind it.
public struct SoundPortFormat: Sendable, Hashable {
    /// Frames a second.
    public var sampleRate: Double
    /// Channels.
    public var channels: Int
    /// How long a period sounds: what the hardware takes, or gives, at a time.
    public var bufferDuration: Duration
    /// How long a frame takes from the program to the output, or from the input to the program, at least: a period, and
    /// what the driver says lies beyond its buffer.
    ///
    /// What the program writes ahead comes on top. A sound's first frame has nothing ahead of it.
    public var latency: Duration

    /// A format.
    public init(sampleRate: Double, channels: Int, bufferDuration: Duration, latency: Duration) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bufferDuration = bufferDuration
        self.latency = latency
    }
}
