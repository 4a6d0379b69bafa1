/// What a file's headers say of its sound, learnt without decoding any of it.
public struct SoundFileInfo: Sendable, Equatable {
    /// The kind of file.
    public var container: SoundContainer
    /// How the samples are written.
    public var codec: SoundCodec
    /// Frames in a second, in hertz.
    public var sampleRate: Double
    /// Samples in a frame.
    public var channels: Int
    /// The frames that decoding gives, at most those that the bytes present can hold.
    public var frames: Int64
    /// Significant bits of a sample: those of a linear sample, 16 for what G.711 and IMA decode to.
    public var bits: Int
    /// The first byte of sound data, counted from the beginning of the file.
    public var dataOffset: Int64
    /// The bytes of sound data that are present.
    public var dataSize: Int64
    /// The bytes of a packet or block: a frame of linear PCM or G.711, a packet of IMA4, a block of WAV's IMA.
    public var bytesPerPacket: Int
    /// The frames of a packet or block.
    public var framesPerPacket: Int
    /// Frames at the beginning that the packet table tells to drop; already left out of ``frames``.
    public var primingFrames: Int64
    /// Frames at the end of the last packet that are left out of ``frames``.
    public var remainderFrames: Int64
    /// The header promises more sound than the file has: what is there is decoded.
    public var isTruncated: Bool
    /// Which loudspeakers the channels are for, if the file says so.
    public var channelLayout: ChannelLayout?
    /// CAF's count of edits made to the sound data, 0 in other containers.
    public var editCount: UInt32
    /// The file's chunks in their order.
    public var chunks: [SoundChunk]
    /// Text that the file carries, in its order.
    public var tags: [SoundTag]

    /// How long the sound lasts.
    public var duration: Duration { Duration(frames: frames, sampleRate: sampleRate) }

    /// The shortest that the sound may have been before a codec filled its last packet.
    ///
    /// AIFF-C cannot say how much of the last IMA4 packet is filling, so that a sound of exactly 30 s comes back up to 63
    /// frames longer; the limit on durations is held against this, so as not to refuse it.
    public var minimumFrames: Int64 {
        lastPacketMayBeFilled ? max(0, frames - Int64(framesPerPacket - 1)) : frames
    }

    /// Whether the container leaves open how much of the last packet is sound.
    var lastPacketMayBeFilled: Bool

    /// Whether the sound lasts at most `limit`, exactly that long included.
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
