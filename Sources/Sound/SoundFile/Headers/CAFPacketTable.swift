extension CAFHeader {
    /// The header of the `pakt` chunk; packets of one size, the only ones read here, have no entries in it.
    struct PacketTable {
        let offset: Int64
        let packets: Int64
        let validFrames: Int64
        let primingFrames: Int64
        let remainderFrames: Int64

        init<S>(_ input: inout HeaderInput<S>, _ chunk: SoundChunk) throws(SoundFileError) {
            offset = chunk.offset
            var fields = try input.fields("'pakt'", at: chunk.offset, count: Int(min(chunk.size ?? 24, 24)))
            packets = Int64(bitPattern: try fields.integer())
            validFrames = Int64(bitPattern: try fields.integer())
            primingFrames = Int64(Int32(bitPattern: try fields.integer()))
            remainderFrames = Int64(Int32(bitPattern: try fields.integer()))
        }

        /// Trims the sound to the valid frames, unless the table contradicts itself or the data.
        ///
        /// A remainder that does not add up is accepted: nothing depends on it.
        func apply(to parsed: inout ParsedHeader) throws(SoundFileError) {
            func lie(_ expected: String, _ found: String, at place: Int64) -> SoundFileError {
                SoundFileError(.invalidPacketTable, expected: expected, found: found, offset: offset + place)
            }
            guard packets >= 0 else { throw lie("a number of packets", "\(packets)", at: 0) }
            guard validFrames >= 0 else { throw lie("a number of frames", "\(validFrames)", at: 8) }
            guard primingFrames >= 0 else { throw lie("a number of priming frames", "\(primingFrames)", at: 16) }
            guard remainderFrames >= 0 else { throw lie("a number of remaining frames", "\(remainderFrames)", at: 20) }
            let present = parsed.dataSize / Int64(parsed.bytesPerPacket)
            // Some writers (ffmpeg 9) count no packets where all are of one size: the data has them.
            let packets = packets == 0 && validFrames > 0 ? present : packets
            let (capacity, overflow) = packets.multipliedReportingOverflow(by: Int64(parsed.framesPerPacket))
            guard !overflow else { throw lie("a number of packets", "\(packets)", at: 0) }
            guard validFrames <= capacity, primingFrames <= capacity - validFrames else {
                throw lie(
                    "at most the frames of \(packets) packets", "\(validFrames) and \(primingFrames) of priming", at: 8)
            }
            guard packets <= present || parsed.isTruncated else {
                throw lie("at most \(present) packets, as the data has", "\(packets)", at: 0)
            }
            parsed.primingFrames = primingFrames
            parsed.countedFrames = validFrames
        }
    }
}
