/// What a PCM was granted, as sessions tell it.
public struct SoundPortFormat: Sendable, Hashable {
    /// Frames a second.
    public var sampleRate: Double
    /// Channels.
    public var channels: Int
    /// How long a full buffer sounds.
    public var bufferDuration: Duration
    /// How long a frame takes from the program to the output, or from the input to the program.
    public var latency: Duration

    /// A format.
    public init(sampleRate: Double, channels: Int, bufferDuration: Duration, latency: Duration) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.bufferDuration = bufferDuration
        self.latency = latency
    }
}
