/// What a session, or all of them together, would like the hardware to do. The hardware may do otherwise.
public struct SessionPreferences: Sendable, Hashable {
    /// The sample rate in hertz; 0 for whichever the hardware likes.
    public var sampleRate: Double = 0
    /// The duration of what the hardware takes at a time, in seconds; 0 for 10 ms.
    public var ioBufferDuration: Float = 0

    /// Wishes, by default none.
    public init(sampleRate: Double = 0, ioBufferDuration: Float = 0) {
        self.sampleRate = sampleRate
        self.ioBufferDuration = ioBufferDuration
    }
}
