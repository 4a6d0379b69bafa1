/// The result of reading a container's headers: what it takes to describe the sound and to decode it.
struct ParsedHeader: Sendable {
    var container: SoundContainer
    var codec: SoundCodec
    var sampleRate: Double
    var channels: Int
    var dataOffset: Int64
    /// The bytes of sound that are in the file, within the data chunk.
    var dataSize: Int64
    /// The file ends before the data chunk does.
    var isTruncated: Bool
    var bytesPerPacket: Int
    var framesPerPacket: Int
    /// The packets that are present, where their sizes differ.
    var packets: Int64?
    /// What lies between packets, in order, with offsets from the first one.
    var gaps: [(offset: Int64, bytes: Int64)] = []
    var skippedBytes: Int64 = 0
    /// The frames that the container counts; `nil` if it counts none, so that all that decode are sound.
    var countedFrames: Int64?
    var primingFrames: Int64 = 0
    var channelLayout: ChannelLayout?
    var editCount: UInt32 = 0
    /// Significant bits of a sample, where the codec does not say.
    var bits = 16

    /// Whether the frames are what headers say, not what the bytes present hold.
    var isClaimed: Bool { [.vorbis, .opus, .flac].contains(codec) }

    /// Checks the sample rate and channel count, which were read at the given offsets.
    func requireSensible(rateAt rateOffset: Int64, channelsAt channelsOffset: Int64) throws(SoundFileError) {
        guard sampleRate.isFinite, SoundLimits.sampleRates.contains(sampleRate) else {
            throw SoundFileError(
                .invalidHeader,
                expected:
                    "a sample rate of \(SoundLimits.sampleRates.lowerBound) to \(SoundLimits.sampleRates.upperBound) Hz",
                found: "\(sampleRate)", offset: rateOffset)
        }
        guard SoundLimits.channels.contains(channels) else {
            throw SoundFileError(
                .invalidHeader,
                expected: "\(SoundLimits.channels.lowerBound) to \(SoundLimits.channels.upperBound) channels",
                found: "\(channels)", offset: channelsOffset)
        }
    }

    /// The frames that the bytes present decode to.
    var presentFrames: Int64 {
        let packets = packets ?? dataSize / Int64(bytesPerPacket)
        var frames = packets * Int64(framesPerPacket)
        if codec == .imaADPCM {
            // The last block of a file may be a short one.
            let rest = dataSize % Int64(bytesPerPacket)
            frames += IMABlock.frames(inBytes: Int(rest), channels: channels, atMost: framesPerPacket)
        }
        return frames
    }

    /// The public description of the sound.
    func info(chunks: [SoundChunk], tags: [SoundTag]) -> SoundFileInfo {
        let present = max(0, presentFrames - primingFrames)
        let frames = min(present, countedFrames ?? present)
        let bits = if case .linearPCM(let format) = codec { format.bits } else { bits }
        var short = isTruncated
        if let counted = countedFrames, counted > present { short = true }
        return SoundFileInfo(
            container: container, codec: codec, sampleRate: sampleRate, channels: channels, frames: frames, bits: bits,
            dataOffset: dataOffset, dataSize: dataSize, bytesPerPacket: bytesPerPacket,
            framesPerPacket: framesPerPacket, primingFrames: primingFrames, remainderFrames: present - frames,
            isTruncated: short, skippedBytes: skippedBytes, channelLayout: channelLayout, editCount: editCount,
            chunks: chunks, tags: tags,
            // Counts of all that is there may include what filled up the last packet, as ffmpeg's of IMA do. A short block is not
            // filled.
            lastPacketMayBeFilled: framesPerPacket > 1
                && (codec != .imaADPCM || dataSize % Int64(bytesPerPacket) == 0)
                && (countedFrames == nil || frames == present && [.imaADPCM, .mpegLayer3].contains(codec)))
    }
}
