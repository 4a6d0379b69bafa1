import FourCharacterCodes
extension CAFHeader {
    /// The `desc` chunk.
    struct Description {
        let chunk: SoundChunk
        let sampleRate: Double
        let format: FourCharacterCode
        let flags: UInt32
        let bytesPerPacket: UInt32
        let framesPerPacket: UInt32
        let channels: UInt32
        let bits: UInt32

        init<S>(_ input: inout HeaderInput<S>, _ chunk: SoundChunk) throws(SoundFileError) {
            self.chunk = chunk
            let count = Int(min(chunk.size ?? 32, 32))
            var fields = try input.fields("'desc'", at: chunk.offset, count: count)
            sampleRate = try fields.double()
            format = try fields.code()
            flags = try fields.integer()
            bytesPerPacket = try fields.integer()
            framesPerPacket = try fields.integer()
            channels = try fields.integer()
            bits = try fields.integer()
        }

        /// The header for sound in this format, its rate, channels and packets checked.
        func parsed(dataOffset: Int64, dataSize: Int64) throws(SoundFileError) -> ParsedHeader {
            var parsed = ParsedHeader(
                container: .caf, codec: .ima4, sampleRate: sampleRate, channels: Int(clamping: channels),
                dataOffset: dataOffset, dataSize: dataSize, isTruncated: false, bytesPerPacket: 1, framesPerPacket: 1)
            try parsed.requireSensible(rateAt: chunk.offset, channelsAt: chunk.offset + 24)
            switch format {
            case "lpcm":
                let sample = try linearSample(dataSize)
                parsed.codec = .linearPCM(sample)
                parsed.bytesPerPacket = sample.bytesPerSample * parsed.channels
            case "ima4":
                parsed.codec = .ima4
                parsed.bytesPerPacket = 34 * parsed.channels
                parsed.framesPerPacket = 64
            case "ulaw":
                parsed.codec = .uLaw
                parsed.bytesPerPacket = parsed.channels
            case "alaw":
                parsed.codec = .aLaw
                parsed.bytesPerPacket = parsed.channels
            default:
                throw SoundFileError(
                    .unsupportedCodec, expected: "'lpcm', 'ima4', 'ulaw' or 'alaw'", found: "'\(format)'",
                    offset: chunk.offset + 8)
            }
            try requirePackets(of: parsed)
            return parsed
        }

        /// The sample format of linear PCM: bits 0 and 1 of the flags say float and little-endian.
        private func linearSample(_ dataSize: Int64) throws(SoundFileError) -> LinearPCM {
            let isFloat = flags & 1 != 0
            // A packet that contradicts them is wrong, unless it pads 24 bits and the data consist of such packets.
            let isPadded =
                !isFloat && bits == 24 && bytesPerPacket % channels == 0 && bytesPerPacket / channels == 4
                && dataSize % Int64(bytesPerPacket) == 0
            let isWhole = !isPadded && [8, 16, 24, 32, 64].contains(bits)
            let perSample = bytesPerPacket == 0 ? 0 : isWhole ? Int(bits) / 8 : Int(clamping: bytesPerPacket / channels)
            let isPossible =
                isFloat
                ? (perSample == 4 && bits == 32) || (perSample == 8 && bits == 64)
                : (1...4).contains(perSample) && bits >= 1 && bits <= UInt32(perSample * 8)
                    || perSample == 8 && bits == 64
            guard isPossible else {
                throw SoundFileError(
                    .invalidHeader, expected: isFloat ? "a 32 or 64-bit float" : "an integer of 1 to 32 or 64 bits",
                    found: "\(bits) bits in \(bytesPerPacket) bytes for \(channels) channels", offset: chunk.offset + 28
                )
            }
            return LinearPCM(
                isFloat ? .float : .signedInteger, bytesPerSample: perSample, bits: Int(bits),
                byteOrder: flags & 2 != 0 ? .little : .big)
        }

        private func requirePackets(of parsed: ParsedHeader) throws(SoundFileError) {
            // Their samples have one size.
            if parsed.framesPerPacket == 1, bytesPerPacket > 0 { return }
            guard Int64(bytesPerPacket) == Int64(parsed.bytesPerPacket) else {
                throw SoundFileError(
                    .invalidHeader, expected: "\(parsed.bytesPerPacket) bytes in a packet", found: "\(bytesPerPacket)",
                    offset: chunk.offset + 16)
            }
            guard Int64(framesPerPacket) == Int64(parsed.framesPerPacket) else {
                throw SoundFileError(
                    .invalidHeader, expected: "\(parsed.framesPerPacket) frames in a packet",
                    found: "\(framesPerPacket)",
                    offset: chunk.offset + 20)
            }
        }
    }
}
