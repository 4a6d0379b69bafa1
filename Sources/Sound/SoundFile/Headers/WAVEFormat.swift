extension WAVEHeader {
    /// The `fmt ` chunk.
    struct Format {
        let chunk: SoundChunk
        let byteOrder: LinearPCM.ByteOrder
        let tag: UInt16
        let channels: UInt16
        let sampleRate: UInt32
        let blockSize: UInt16
        let bits: UInt16
        /// The valid bits and channel mask of WAVE_FORMAT_EXTENSIBLE.
        let validBits: UInt16?
        let channelMask: UInt32?

        /// The last 12 bytes of the identifiers that wrap a plain format tag in WAVE_FORMAT_EXTENSIBLE.
        private static let wrapped: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        /// The same of ambisonic sound (B-format), whose tags are 1 (PCM) and 3 (float).
        private static let ambisonic: [UInt8] = [0x21, 7, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0]

        init<S>(
            _ input: inout HeaderInput<S>, _ chunk: SoundChunk, byteOrder: LinearPCM.ByteOrder
        ) throws(SoundFileError) {
            self.chunk = chunk
            self.byteOrder = byteOrder
            let count = Int(min(chunk.size ?? 40, 40))
            var fields = try input.fields("'fmt '", at: chunk.offset, count: count, byteOrder: byteOrder)
            let outer = try fields.integer(UInt16.self)
            channels = try fields.integer()
            sampleRate = try fields.integer()
            try fields.skip(4)
            blockSize = try fields.integer()
            bits = try fields.integer()
            if outer == 0xFFFE {
                try fields.skip(2)
                let valid = try fields.integer(UInt16.self)
                validBits = valid
                channelMask = try fields.integer()
                let place = fields.offset
                // Some writers of RIFX swap 16 of these bits, some 32.
                let word = try fields.integer(UInt32.self)
                tag = UInt16(truncatingIfNeeded: byteOrder == .big && word & 0xFFFF == 0 ? word >> 16 : word)
                let start = fields.position
                try fields.skip(12)
                // The first half of the identifier follows the byte order, and writers of RIFX disagree on the rest.
                let kind = Array(fields.bytes[start...])
                guard byteOrder == .big || kind == Self.wrapped || kind == Self.ambisonic && [1, 3].contains(tag) else {
                    throw SoundFileError(
                        .unsupportedCodec, expected: "a format that is also a plain WAVE format",
                        found: "another identifier", offset: place)
                }
            } else {
                tag = outer
                validBits = nil
                channelMask = nil
            }
        }

        /// The header for sound in this format, its rate, channels and block size checked.
        func parsed(
            container: SoundContainer, dataOffset: Int64, dataSize: Int64
        ) throws(SoundFileError) -> ParsedHeader {
            var parsed = ParsedHeader(
                container: container, codec: .uLaw, sampleRate: Double(sampleRate), channels: Int(channels),
                dataOffset: dataOffset, dataSize: dataSize, isTruncated: false, bytesPerPacket: Int(channels),
                framesPerPacket: 1)
            try parsed.requireSensible(rateAt: chunk.offset + 4, channelsAt: chunk.offset + 2)
            if let channelMask { parsed.channelLayout = ChannelLayout(bitmap: channelMask) }
            switch tag {
            case 1, 3:
                let sample = try linearSample()
                parsed.codec = .linearPCM(sample)
                parsed.bytesPerPacket = sample.bytesPerSample * parsed.channels
            case 6:
                parsed.codec = .aLaw
            case 7:
                parsed.codec = .uLaw
            case 0x11:
                parsed.codec = .imaADPCM
                try planIMA(&parsed)
            default:
                throw SoundFileError(
                    .unsupportedCodec,
                    expected: "format 1 (PCM), 3 (float), 6 (A-law), 7 (u-law), 17 (IMA ADPCM) or 85 (MP3)",
                    found: "\(tag)", offset: chunk.offset)
            }
            return parsed
        }

        private func linearSample() throws(SoundFileError) -> LinearPCM {
            let isFloat = tag == 3
            // A block that contradicts them is wrong, unless it pads a width that is not whole.
            let least = (Int(bits) + 7) / 8
            let padded = bits % 8 == 0 ? least : Int(blockSize) / Int(channels)
            let isPadded = padded > least && padded <= 4 && padded * Int(channels) == Int(blockSize)
            let width = isPadded ? padded : least
            let isPossible = isFloat ? bits == 32 || bits == 64 : (1...4).contains(width) || bits == 64
            guard isPossible else {
                throw SoundFileError(
                    .invalidHeader, expected: isFloat ? "a 32 or 64-bit float" : "an integer of 1 to 32 or 64 bits",
                    found: "\(bits) bits in blocks of \(blockSize) bytes for \(channels) channels",
                    offset: chunk.offset + 12)
            }
            var valid = Int(bits)
            if let validBits, validBits > 0, validBits <= bits { valid = Int(validBits) }
            return LinearPCM(
                isFloat ? .float : width == 1 ? .unsignedInteger : .signedInteger, bytesPerSample: width, bits: valid,
                byteOrder: byteOrder)
        }

        private func planIMA(_ parsed: inout ParsedHeader) throws(SoundFileError) {
            guard bits == 4 else {
                throw SoundFileError(
                    .unsupportedCodec, expected: "4 bits a sample of IMA ADPCM", found: "\(bits)",
                    offset: chunk.offset + 14)
            }
            let header = 4 * parsed.channels
            guard Int(blockSize) >= header else {
                throw SoundFileError(
                    .invalidHeader, expected: "a block of at least \(header) bytes", found: "\(blockSize)",
                    offset: chunk.offset + 12)
            }
            // A number of frames that contradicts it is wrong.
            parsed.bytesPerPacket = Int(blockSize)
            parsed.framesPerPacket = 1 + (Int(blockSize) - header) / header * 8
        }
    }
}
