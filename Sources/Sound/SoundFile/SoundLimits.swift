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
    /// Tags and other gaps between the frames of an MP3 file; the sound behind more is left out, and that is said.
    static let mpegGaps = 1 << 14
    /// Frames counted of a sound whose headers do not count them: more than an hour at most rates.
    static let libraryFrames = 1 << 28
    /// Bytes that a library may read of a file for one call: one that finds nothing in so many would search for long.
    static let libraryBytes = 1 << 26
    /// Damaged places behind which FLAC goes on, and bytes searched for a frame behind one: searching takes long.
    static let flacDamagedPlaces = 32
    static let flacSearchedBytes = 1 << 20
    /// Pages looked at of an Ogg file: more than 3 hours of sound, as one is at least 20 ms long in practice.
    static let oggPages = 1 << 20
    /// Zeros behind a sound that are distinguished from sound; more are not looked at.
    static let padding: Int64 = 1 << 24
    /// The longest system sound: exactly this long is accepted.
    public static let systemSoundDuration: Duration = .seconds(30)
    /// Bytes counted of a file: a byte holds two frames at most, so that 64 bits count them all. A sparse file can claim
    /// more.
    static let fileSize: Int64 = 1 << 60
    /// Bytes read of a text chunk; the rest is left out.
    static let textBytes = 4096
}
