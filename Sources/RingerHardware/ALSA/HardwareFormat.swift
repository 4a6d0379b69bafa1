/// What a PCM granted: the format in which it takes frames, and how it buffers them.
public struct HardwareFormat: Sendable, Hashable {
    /// The PCM's name, with the conversion that had to be put in front of it.
    public var pcm: String
    /// Frames a second.
    public var sampleRate: Int
    /// Samples in a frame.
    public var channels: Int
    /// Frames in a period: how often the device asks for more, and how finely it tells its position at worst.
    public var periodFrames: Int
    /// Frames in the buffer: the most that can be written ahead.
    public var bufferFrames: Int

    /// What `pcm` granted.
    public init(pcm: String, sampleRate: Int, channels: Int, periodFrames: Int, bufferFrames: Int) {
        self.pcm = pcm
        self.sampleRate = sampleRate
        self.channels = channels
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
    }

    /// How long a period sounds.
    public var period: Duration { duration(ofFrames: periodFrames) }
    /// How long a full buffer sounds: a writer that is late by more underruns.
    public var latency: Duration { duration(ofFrames: bufferFrames) }

    /// How long `frames` sound, rounded up to the nanosecond: after it they have been heard.
    func duration(ofFrames frames: Int) -> Duration {
        // Int64, since Int has 32 bits on some processors.
        let rate = Int64(sampleRate)
        let (seconds, rest) = Int64(frames).quotientAndRemainder(dividingBy: rate)
        return .seconds(seconds) + .nanoseconds((rest * 1_000_000_000 + rate - 1) / rate)
    }

    /// How many whole frames sound in `duration`.
    func frames(in duration: Duration) -> Int {
        // A sound is hours at most; a product beyond Int64 says "longer than any sound".
        let (product, overflow) = duration.nanoseconds.multipliedReportingOverflow(by: Int64(sampleRate))
        return overflow ? .max : Int(clamping: product / 1_000_000_000)
    }
}
