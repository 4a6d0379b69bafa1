/// The result of reading a container's headers: what it takes to describe the sound and to decode it.
struct SoundPlan: Sendable {
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
    /// The frames that the container counts; `nil` if it counts none, so that all that decode are sound.
    var countedFrames: Int64?
    var primingFrames: Int64 = 0
    var channelLayout: ChannelLayout?
    var editCount: UInt32 = 0

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

    /// The public description of the plan.
    func info(chunks: [SoundChunk], tags: [SoundTag]) -> SoundFileInfo {
        let present = max(0, presentFrames - primingFrames)
        let frames = min(present, countedFrames ?? present)
        let bits = if case .linearPCM(let format) = codec { format.bits } else { 16 }
        var short = isTruncated
        if let counted = countedFrames, counted > present { short = true }
        return SoundFileInfo(
            container: container, codec: codec, sampleRate: sampleRate, channels: channels, frames: frames, bits: bits,
            dataOffset: dataOffset, dataSize: dataSize, bytesPerPacket: bytesPerPacket,
            framesPerPacket: framesPerPacket, primingFrames: primingFrames, remainderFrames: present - frames,
            isTruncated: short, channelLayout: channelLayout, editCount: editCount, chunks: chunks, tags: tags,
            lastPacketMayBeFilled: (codec == .ima4 || codec == .mpegLayer3) && countedFrames == nil)
    }
}
