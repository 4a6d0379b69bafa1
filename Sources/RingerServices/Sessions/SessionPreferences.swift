/// What a session would like the hardware to do. The hardware may do otherwise.
public struct SessionPreferences: Sendable, Hashable {
    /// The sample rate in hertz; 0 for whichever the hardware likes.
    public var sampleRate: Double = 0
    /// The duration of the buffer in seconds; 0 for whichever the hardware likes.
    public var ioBufferDuration: Float = 0

    /// No wishes.
    public init() {}
}
