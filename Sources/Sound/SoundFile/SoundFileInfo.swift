import FourCharacterCodes

/// The contents of a file's headers, read without decoding the sound.
public struct SoundFileInfo: Sendable, Equatable {
    /// The kind of file.
    public var container: SoundContainer
    /// The samples' encoding.
    public var codec: SoundCodec
    /// Frames in a second, in hertz.
    public var sampleRate: Double
    /// Samples in a frame.
    public var channels: Int
    /// The frames that decoding returns, at most those that the bytes present can hold.
    public var frames: Int64
    /// Significant bits of a sample: those of a linear sample, 16 for what G.711 and IMA decode to.
    public var bits: Int
    /// The offset of the first byte of sound data in the file.
    public var dataOffset: Int64
    /// The bytes of sound data that are present.
    public var dataSize: Int64
    /// The bytes of a packet or block: a frame of linear PCM or G.711, a packet of IMA4, a block of WAV's IMA; of MP3, whose
    /// frames have several sizes, the average.
    public var bytesPerPacket: Int
    /// The frames of a packet or block.
    public var framesPerPacket: Int
    /// Frames at the beginning that the packet table excludes; not counted in ``frames``.
    public var primingFrames: Int64
    /// Frames at the end of the last packet that are not counted in ``frames``.
    public var remainderFrames: Int64
    /// Whether the header promises more sound than the file has, the file has more that is not read, or FLAC is damaged: what
    /// is there of the first sound is decoded.
    public var isTruncated: Bool
    /// Bytes between the frames of an MP3 file that are no tag: damaged frames, and others than the first one's kind. They are
    /// left out. In front of the first frame, zeros and fewer bytes than a frame has are not counted.
    public var skippedBytes: Int64
    /// The loudspeakers that the channels are for; nil if the file does not say.
    public var channelLayout: ChannelLayout?
    /// CAF's count of edits made to the sound data, 0 in other containers.
    public var editCount: UInt32
    /// The file's chunks in their order.
    public var chunks: [SoundChunk]
    /// Text that the file carries, in its order.
    public var tags: [SoundTag]

    /// How long the sound lasts.
    public var duration: Duration { Duration(frames: frames, sampleRate: sampleRate) }

    /// What of the sound is missing, or was left out, as a sentence; nil if nothing is.
    public var shortfall: String? {
        if isTruncated { return "the sound is damaged or incomplete: \(frames.counted("frame")) could be read" }
        return skippedBytes > 0 ? "\(skippedBytes)\(PCMBuffer.Shortfall.damage)" : nil
    }

    /// The least length of the sound before a codec filled up its last packet.
    ///
    /// AIFF-C cannot say how much of the last IMA4 packet is filling: a sound of exactly 30 s is read as up to 63
    /// frames longer; an MP3 file need not say it, nor IMA in a WAV file, whose `fact` chunk may count the filling. At most 4096
    /// frames are taken for it. Limits of the duration are compared with this value, so that they do not refuse it.
    public var minimumFrames: Int64 {
        lastPacketMayBeFilled ? max(0, frames - Int64(min(4096, framesPerPacket - 1))) : frames
    }

    /// Whether the container does not say how much of the last packet is sound.
    var lastPacketMayBeFilled: Bool

    /// Whether the sound lasts at most `limit`.
    public func lasts(atMost limit: Duration) -> Bool {
        Double(minimumFrames) <= limit.inSeconds * sampleRate
    }

    /// Throws ``SoundFileError/Code/maximumDurationExceeded`` unless the sound lasts at most `limit`.
    public func require(atMost limit: Duration) throws(SoundFileError) {
        if !lasts(atMost: limit) {
            throw SoundFileError(
                .maximumDurationExceeded, expected: "at most \(limit)", found: "\(duration)", offset: dataOffset)
        }
    }
}

/// The place of a chunk in a file.
public struct SoundChunk: Sendable, Equatable {
    /// The chunk's name.
    public var id: FourCharacterCode
    /// The first byte of its contents, counted from the beginning of the file.
    public var offset: Int64
    /// The size of its contents in bytes; `nil` if the header leaves it open (to the end of the file).
    public var size: Int64?

    /// Makes a chunk's position from its parts.
    public init(id: FourCharacterCode, offset: Int64, size: Int64?) {
        self.id = id
        self.offset = offset
        self.size = size
    }
}

/// A piece of text that a file carries about itself, such as its title.
public struct SoundTag: Sendable, Equatable {
    /// The text's meaning: CAF's key (`title`, `artist`), or the name of its chunk (`NAME`, `INAM`).
    public var key: String
    /// The text; bytes that are not UTF-8 are replaced.
    public var value: String

    /// Makes a tag from its parts.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}
