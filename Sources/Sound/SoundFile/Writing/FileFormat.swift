/// The format of a file to write: container, codec, rate, channels, and the size of packets.
struct FileFormat: Sendable {
    let container: SoundContainer
    let codec: SoundCodec
    let sampleRate: Double
    let channels: Int
    let channelLayout: ChannelLayout?
    let bytesPerPacket: Int
    let framesPerPacket: Int

    /// Checks that the container can hold the sound, and chooses the size of packets.
    init(
        container: SoundContainer, codec: SoundCodec, sampleRate: Double, channels: Int, channelLayout: ChannelLayout?,
        blockSize: Int?
    ) throws(SoundFileError) {
        guard SoundLimits.sampleRates.contains(sampleRate) else {
            throw SoundFileError(.doesNotFit, expected: "a rate of 1 to 1536000 Hz", found: "\(sampleRate)")
        }
        guard SoundLimits.channels.contains(channels) else {
            throw SoundFileError(.doesNotFit, expected: "1 to 256 channels", found: "\(channels)")
        }
        if Self.isWave(container), sampleRate != sampleRate.rounded() {
            throw SoundFileError(.doesNotFit, expected: "a whole number of hertz in WAVE", found: "\(sampleRate)")
        }
        guard Self.isPossible(codec, in: container) else {
            throw SoundFileError(
                .unsupportedCodec, expected: "a codec that \(container.rawValue) can hold", found: "\(codec)")
        }
        self.container = container
        self.codec = codec
        self.sampleRate = sampleRate
        self.channels = channels
        // A WAV's mask of 0 means that its channels have no assigned loudspeakers.
        let isLeftOpen = channelLayout?.tag == nil && channelLayout?.bitmap == 0
        self.channelLayout = isLeftOpen ? nil : channelLayout ?? Self.usualLayout(channels)
        switch codec {
        case .linearPCM(let format):
            bytesPerPacket = format.bytesPerSample * channels
            framesPerPacket = 1
        case .uLaw, .aLaw:
            bytesPerPacket = channels
            framesPerPacket = 1
        case .ima4:
            bytesPerPacket = IMA4Decoder.bytesPerChannel * channels
            framesPerPacket = IMA4Decoder.framesPerPacket
        case .imaADPCM, .mpegLayer3, .vorbis, .opus, .flac:
            let group = 4 * channels
            // As in sox: each block's first sample is exact, which loud and sudden sounds need often.
            let bytes = min(blockSize ?? 256 * channels, 65535) / group * group
            guard bytes >= group else {
                throw SoundFileError(
                    .doesNotFit, expected: "a block of \(group) to 65535 bytes", found: "\(blockSize ?? 0)")
            }
            bytesPerPacket = bytes
            framesPerPacket = 1 + (bytes / group - 1) * 8
        }
        if Self.isWave(container), bytesPerPacket > 65535 {
            throw SoundFileError(
                .doesNotFit, expected: "at most 65535 bytes a frame in WAVE", found: "\(bytesPerPacket)")
        }
    }

    static func isWave(_ container: SoundContainer) -> Bool {
        container == .wave || container == .rifx || container == .rf64
    }

    private static func isPossible(_ codec: SoundCodec, in container: SoundContainer) -> Bool {
        switch codec {
        case .linearPCM(let format):
            let isWhole = format.bits == format.bytesPerSample * 8
            switch format.kind {
            case .float:
                guard format.bytesPerSample == 4 || format.bytesPerSample == 8, isWhole else { return false }
            case .signedInteger, .unsignedInteger:
                guard (1...4).contains(format.bytesPerSample), (1...format.bytesPerSample * 8).contains(format.bits)
                else { return false }
            }
            let isByte = format.bytesPerSample == 1
            switch container {
            case .caf:
                return format.kind != .unsignedInteger
            case .aiff:
                return format.kind == .signedInteger && (isByte || format.byteOrder == .big)
                    && format.bits > format.bytesPerSample * 8 - 8
            case .aifc:
                return switch format.kind {
                case .signedInteger: format.bits > format.bytesPerSample * 8 - 8
                case .unsignedInteger: isByte
                case .float: format.byteOrder == .big
                }
            case .wave, .rf64, .rifx:
                let isOrdered = isByte || format.byteOrder == (container == .rifx ? .big : .little)
                return isOrdered && (format.kind == .float || (format.kind == .unsignedInteger) == isByte)
            case .mp3, .ogg, .flac: return false
            }
        case .ima4: return container == .caf || container == .aifc
        case .imaADPCM: return container == .wave || container == .rf64
        case .uLaw, .aLaw: return ![.aiff, .mp3, .ogg, .flac].contains(container)
        case .mpegLayer3, .vorbis, .opus, .flac: return false
        }
    }

    /// The layouts that readers of the containers assume.
    private static func usualLayout(_ channels: Int) -> ChannelLayout? {
        switch channels {
        case 1: ChannelLayout(tag: 0x64_0001, bitmap: 0x4)
        case 2: ChannelLayout(tag: 0x65_0002, bitmap: 0x3)
        case 3: ChannelLayout(bitmap: 0x7)
        case 4: ChannelLayout(bitmap: 0x33)
        case 5: ChannelLayout(bitmap: 0x37)
        case 6: ChannelLayout(bitmap: 0x3F)
        case 8: ChannelLayout(bitmap: 0x63F)
        default: nil
        }
    }
}
