import FourCharacterCodes
extension AIFFHeader {
    /// The `COMM` chunk.
    struct Common {
        let chunk: SoundChunk
        let container: SoundContainer
        let channels: UInt16
        let frames: UInt32
        let bits: UInt16
        let sampleRate: Double
        let compression: FourCharacterCode

        init<S>(
            _ input: inout HeaderInput<S>, _ chunk: SoundChunk, container: SoundContainer
        ) throws(SoundFileError) {
            self.chunk = chunk
            self.container = container
            let length = container == .aifc ? 22 : 18
            let count = Int(min(chunk.size ?? 0, Int64(length)))
            var fields = try input.fields("'COMM'", at: chunk.offset, count: count)
            channels = try fields.integer()
            frames = try fields.integer()
            bits = try fields.integer()
            sampleRate = try fields.extended()
            compression = container == .aifc ? try fields.code() : "NONE"
        }

        /// The header for sound in this format, its rate and channels checked.
        func parsed(dataOffset: Int64, dataSize: Int64, isStreamed: Bool) throws(SoundFileError) -> ParsedHeader {
            var parsed = ParsedHeader(
                container: container, codec: .ima4, sampleRate: sampleRate, channels: Int(channels),
                dataOffset: dataOffset, dataSize: dataSize, isTruncated: false, bytesPerPacket: 1, framesPerPacket: 1)
            try parsed.requireSensible(rateAt: chunk.offset + 8, channelsAt: chunk.offset)
            parsed.codec = try codec()
            switch parsed.codec {
            case .linearPCM(let format):
                parsed.bytesPerPacket = format.bytesPerSample * parsed.channels
            case .ima4:
                parsed.bytesPerPacket = 34 * parsed.channels
                parsed.framesPerPacket = 64
            default:
                parsed.bytesPerPacket = parsed.channels
            }
            // The data count, not what is written here: for IMA4 that is packets, of which libsndfile writes half for two
            // channels, and others never fill it in.
            parsed.isTruncated = parsed.codec != .ima4 && !isStreamed && Int64(frames) > parsed.presentFrames
            return parsed
        }

        private func codec() throws(SoundFileError) -> SoundCodec {
            switch compression {
            case "NONE", "twos": .linearPCM(try integer(.big))
            case "sowt": .linearPCM(try integer(.little))
            case "raw ":
                if bits >= 1 && bits <= 8 {
                    .linearPCM(LinearPCM(.unsignedInteger, bytesPerSample: 1, bits: Int(bits), byteOrder: .big))
                } else {
                    throw wrongBits("1 to 8 bits of 'raw '")
                }
            case "in24": .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 3, byteOrder: .big))
            // libsndfile writes the digit one.
            case "42ni", "42n1": .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 3, byteOrder: .little))
            case "in32": .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 4, byteOrder: .big))
            case "23ni": .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 4, byteOrder: .little))
            case "fl32", "FL32": .linearPCM(LinearPCM(.float, bytesPerSample: 4, byteOrder: .big))
            case "fl64", "FL64": .linearPCM(LinearPCM(.float, bytesPerSample: 8, byteOrder: .big))
            case "ima4": .ima4
            case "ulaw", "ULAW": .uLaw
            case "alaw", "ALAW": .aLaw
            default:
                throw SoundFileError(
                    .unsupportedCodec,
                    expected:
                        "'NONE', 'twos', 'sowt', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ima4', 'ulaw' or 'alaw'",
                    found: "'\(compression)'", offset: chunk.offset + 18)
            }
        }

        private func integer(_ order: LinearPCM.ByteOrder) throws(SoundFileError) -> LinearPCM {
            guard bits >= 1, bits <= 32 else { throw wrongBits("1 to 32 bits a sample") }
            return LinearPCM(
                .signedInteger, bytesPerSample: (Int(bits) + 7) / 8, bits: Int(bits), byteOrder: order)
        }

        private func wrongBits(_ expected: String) -> SoundFileError {
            SoundFileError(.invalidHeader, expected: expected, found: "\(bits)", offset: chunk.offset + 6)
        }
    }
}
