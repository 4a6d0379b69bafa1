/// The format in which a PCM takes frames, and how it buffers them.
public struct HardwareFormat: Sendable, Hashable {
    /// The PCM's name, including a conversion put in front of it.
    public var pcm: String
    /// Frames a second.
    public var sampleRate: Int
    /// Samples in a frame.
    public var channels: Int
    /// Frames in a period: how often the device asks for more, and the coarsest resolution of its position.
    public var periodFrames: Int
    /// Frames in the buffer: the most that can be written ahead.
    public var bufferFrames: Int

    /// A format that `pcm` granted. Numbers that no hardware has, which a plug-in may report, become 1 or 268 million.
    public init(pcm: String, sampleRate: Int, channels: Int, periodFrames: Int, bufferFrames: Int) {
        self.pcm = pcm
        self.sampleRate = max(1, Self.clamp(sampleRate))
        self.channels = max(1, Self.clamp(channels))
        self.periodFrames = max(1, Self.clamp(periodFrames))
        self.bufferFrames = max(1, Self.clamp(bufferFrames))
    }

    /// A number of a driver or a plug-in, between plus and minus 268 million: an hour and a half of sound at 48,000 Hz. Sums
    /// of a few, and products with a billion in 64 bits, do not overflow.
    static func clamp(_ number: some BinaryInteger) -> Int {
        min(max(Int(clamping: number), -(1 << 28)), 1 << 28)
    }

    /// The duration of a period.
    public var period: Duration { duration(ofFrames: periodFrames) }
    /// The duration of a full buffer: if the writer is late by more, the stream underruns.
    public var latency: Duration { duration(ofFrames: bufferFrames) }

    /// The duration of `frames`, rounded up to the nanosecond.
    func duration(ofFrames frames: Int) -> Duration {
        // Int64, since Int has 32 bits on some processors.
        let rate = Int64(sampleRate)
        let (seconds, rest) = Int64(frames).quotientAndRemainder(dividingBy: rate)
        return .seconds(seconds) + .nanoseconds((rest * 1_000_000_000 + rate - 1) / rate)
    }

    /// How many whole frames are heard in `duration`.
    func frames(in duration: Duration) -> Int {
        // Overflow means "longer than any sound".
        let (product, overflow) = duration.nanoseconds.multipliedReportingOverflow(by: Int64(sampleRate))
        return overflow ? .max : Int(clamping: product / 1_000_000_000)
    }
}
