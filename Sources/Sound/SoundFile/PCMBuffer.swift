/// Sound in memory: interleaved 16-bit samples with their rate and channel count.
public struct PCMBuffer: Sendable, Equatable {
    /// Frames in a second, in hertz; from a file, within ``SoundLimits/sampleRates``.
    public var sampleRate: Double
    /// Samples in a frame, at least 1; from a file, within ``SoundLimits/channels``.
    public var channels: Int
    /// The samples, channel after channel within each frame.
    public var samples: [Int16]
    /// Why the samples are not all of the sound of the file that they were read from, or those of another sound in its place;
    /// nil if they are all of it, or no file's.
    public var shortfall: Shortfall?

    /// What is missing of a file's sound.
    public struct Shortfall: Sendable, Hashable {
        /// The file; empty where its name is not known.
        public var file: String
        /// A sentence such as `the sound is damaged or incomplete: 480 frames could be read`.
        public var reason: String
        /// Whether a part of the sound is missing, other than damaged bytes that were left out.
        package var isPartial: Bool { replaced == nil && !reason.hasSuffix(Self.damage) }
        /// The error because of which the samples are another sound's; nil if they are the file's own.
        package var replaced: Replaced?
        static let damage = " bytes of the file are damaged, and are left out"

        /// What an error has besides the file and a sentence.
        package struct Replaced: Sendable, Hashable {
            package var code: String
            package var operation: String
            package var errno: CInt?

            package init(code: String, operation: String, errno: CInt?) {
                (self.code, self.operation, self.errno) = (code, operation, errno)
            }
        }

        /// Makes a shortfall from its parts.
        public init(file: String = "", reason: String) {
            (self.file, self.reason) = (file, reason)
        }
    }

    /// A buffer of interleaved samples.
    ///
    /// The rate must be positive and finite, there must be at least one channel, and the last frame must be whole.
    public init(sampleRate: Double, channels: Int, samples: [Int16]) {
        precondition(sampleRate > 0 && sampleRate.isFinite, "a sample rate is positive")
        precondition(channels > 0, "a sound has at least one channel")
        precondition(samples.count % channels == 0, "the last frame is whole")
        self.sampleRate = sampleRate
        self.channels = channels
        self.samples = samples
    }

    /// How many bytes the samples take.
    package var bytes: Int { samples.count * MemoryLayout<Int16>.size }
    /// How many frames there are.
    public var frames: Int { channels > 0 ? samples.count / channels : 0 }

    /// How long the sound lasts.
    public var duration: Duration { Duration(frames: Int64(frames), sampleRate: sampleRate) }

    /// Silence of a given length, rounded to the nearest frame.
    ///
    /// A negative duration is taken as zero.
    public static func silence(duration: Duration, sampleRate: Double = 48_000, channels: Int = 1) -> PCMBuffer {
        let frames = max(0, (duration.inSeconds * sampleRate).rounded())
        return PCMBuffer(
            sampleRate: sampleRate, channels: channels,
            samples: [Int16](repeating: 0, count: Int(frames) * channels))
    }
}
