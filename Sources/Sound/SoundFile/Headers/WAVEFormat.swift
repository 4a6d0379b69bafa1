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
        /// IMA's frames in a block; `nil` if the chunk does not reach so far.
        let framesPerBlock: UInt16?
        /// The valid bits and channel mask of WAVE_FORMAT_EXTENSIBLE.
        let validBits: UInt16?
        let channelMask: UInt32?

        /// The last 12 bytes of the identifiers that wrap a plain format tag in WAVE_FORMAT_EXTENSIBLE.
        private static let wrapped: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]

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
                guard byteOrder == .big || Array(fields.bytes[start...]) == Self.wrapped else {
                    throw SoundFileError(
                        .unsupportedCodec, expected: "a format that is also a plain WAVE format",
                        found: "another identifier", offset: place)
                }
                framesPerBlock = nil
            } else {
                tag = outer
                validBits = nil
                channelMask = nil
                framesPerBlock = fields.remaining >= 4 ? try Self.extra(&fields) : nil
            }
        }

        private static func extra(_ fields: inout HeaderFields) throws(SoundFileError) -> UInt16 {
            try fields.skip(2)
            return try fields.integer()
        }

        /// The plan for sound in this format, its rate, channels and block size checked.
        func plan(
            container: SoundContainer, dataOffset: Int64, dataSize: Int64
        ) throws(SoundFileError) -> SoundPlan {
            var plan = SoundPlan(
                container: container, codec: .uLaw, sampleRate: Double(sampleRate), channels: Int(channels),
                dataOffset: dataOffset, dataSize: dataSize, isTruncated: false, bytesPerPacket: Int(channels),
                framesPerPacket: 1)
            try plan.requireSensible(rateAt: chunk.offset + 4, channelsAt: chunk.offset + 2)
            if let channelMask { plan.channelLayout = ChannelLayout(bitmap: channelMask) }
            switch tag {
            case 1, 3:
                let sample = try linearSample()
                plan.codec = .linearPCM(sample)
                plan.bytesPerPacket = sample.bytesPerSample * plan.channels
            case 6:
                plan.codec = .aLaw
            case 7:
                plan.codec = .uLaw
            case 0x11:
                plan.codec = .imaADPCM
                try planIMA(&plan)
            default:
                throw SoundFileError(
                    .unsupportedCodec, expected: "format 1 (PCM), 3 (float), 6 (A-law), 7 (u-law) or 17 (IMA ADPCM)",
                    found: "\(tag)", offset: chunk.offset)
            }
            return plan
        }

        private func linearSample() throws(SoundFileError) -> LinearPCM {
            let isFloat = tag == 3
            let width = Int(blockSize) / Int(channels)
            let isPossible =
                isFloat
                ? (width == 4 && bits == 32) || (width == 8 && bits == 64)
                : (1...4).contains(width) && bits >= 1 && bits <= UInt16(width * 8)
            guard isPossible, width * Int(channels) == Int(blockSize) else {
                throw SoundFileError(
                    .invalidHeader, expected: isFloat ? "a 32 or 64-bit float" : "an integer of 1 to 32 bits",
                    found: "\(bits) bits in blocks of \(blockSize) bytes for \(channels) channels",
                    offset: chunk.offset + 12)
            }
            var valid = Int(bits)
            if let validBits, validBits > 0, validBits <= bits { valid = Int(validBits) }
            return LinearPCM(
                isFloat ? .float : width == 1 ? .unsignedInteger : .signedInteger, bytesPerSample: width, bits: valid,
                byteOrder: byteOrder)
        }

        private func planIMA(_ plan: inout SoundPlan) throws(SoundFileError) {
            guard bits == 4 else {
                throw SoundFileError(
                    .unsupportedCodec, expected: "4 bits a sample of IMA ADPCM", found: "\(bits)",
                    offset: chunk.offset + 14)
            }
            let header = 4 * plan.channels
            guard Int(blockSize) >= header else {
                throw SoundFileError(
                    .invalidHeader, expected: "a block of at least \(header) bytes", found: "\(blockSize)",
                    offset: chunk.offset + 12)
            }
            let most = 1 + (Int(blockSize) - header) / header * 8
            var frames = most
            if let framesPerBlock, framesPerBlock > 0 {
                frames = Int(framesPerBlock)
                guard frames <= most else {
                    throw SoundFileError(
                        .invalidHeader, expected: "at most \(most) frames in a block of \(blockSize) bytes",
                        found: "\(frames)", offset: chunk.offset + 18)
                }
            }
            plan.bytesPerPacket = Int(blockSize)
            plan.framesPerPacket = frames
        }
    }
}
