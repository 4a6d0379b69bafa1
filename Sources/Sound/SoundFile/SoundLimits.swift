/// Limits for the values of headers; values beyond them count as damage.
public enum SoundLimits {
    /// Sample rates accepted from a file, in hertz: from the slowest sensor to twice the fastest converter.
    public static let sampleRates: ClosedRange<Double> = 1...1_536_000
    /// Channel counts accepted from a file.
    public static let channels: ClosedRange<Int> = 1...256
    /// Chunks read of one file; more are an attempt to keep the reader busy.
    public static let chunks = 512
    /// Frames counted of an MP3 file: more than 3 hours at any rate of a bit stream.
    public static let mpegFrames: Int64 = 1 << 20
    /// The longest system sound: exactly this long is accepted.
    public static let systemSoundDuration: Duration = .seconds(30)
    /// Bytes counted of a file: a byte holds two frames at most, so that 64 bits count them all. A sparse file can claim
    /// more.
    static let fileSize: Int64 = 1 << 60
    /// Bytes read of a text chunk; the rest is left out.
    static let textBytes = 4096
}
