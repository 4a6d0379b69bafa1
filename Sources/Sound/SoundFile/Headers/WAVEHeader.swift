import FourCharacterCodes

/// Reads the headers of RIFF WAVE, its big-endian form RIFX and its 64-bit form RF64.
///
/// Source: Microsoft, "Multiple channel audio data and WAVE files"; EBU Tech 3306 for RF64.
enum WAVEHeader {
    /// Reads everything but the sound.
    static func parse<S>(
        _ input: inout HeaderInput<S>, as container: SoundContainer
    ) throws(SoundFileError) -> ParsedHeader {
        let order: LinearPCM.ByteOrder = container == .rifx ? .big : .little
        var file = try input.fields("the RIFF header", at: 0, count: 12, byteOrder: order)
        try file.skip(4)
        let riffSize = try file.integer(UInt32.self)
        let form = try file.code()
        guard form == "WAVE" else {
            throw SoundFileError(.notASound, expected: "'WAVE' within RIFF", found: "'\(form)'", offset: 8)
        }
        // Writers that cannot seek back leave these; with any other size, what follows RIFF's end does not belong to
        // it.
        let isStreamed = riffSize == 0 || riffSize >= 0x7FFF_F000
        var end = input.size
        if !isStreamed, container != .rf64 { end = min(end, Int64(riffSize) + 8) }
        var sizes: (data: UInt64, frames: UInt64)?
        var format: Format?
        var data: (offset: Int64, size: Int64, truncated: Bool)?
        var factFrames: Int64?

        var offset: Int64 = 12
        // Look beyond a wrong RIFF size for the sound.
        while offset < (format == nil || data == nil ? input.size : end) {
            if input.size - offset < 8 {
                if data != nil { break }
                _ = try input.fields("a WAVE chunk header", at: offset, count: 8).bytes
            }
            var header = try input.fields("a WAVE chunk header", at: offset, count: 8, byteOrder: order)
            let id = try header.code()
            var stated: Int64? = Int64(try header.integer(UInt32.self))
            let start = offset + 8
            if id == "data", data == nil {
                if container == .rf64, stated == 0xFFFF_FFFF, let sizes {
                    stated = Int64(clamping: sizes.data)
                } else if let size = stated, size >= 0x7FFF_F000, size > input.size - start {
                    stated = nil
                }
                if stated == 0, try !input.mayBeChunk(at: start, order) { stated = nil }
            }
            let chunk = SoundChunk(id: id, offset: start, size: stated)
            let length = stated ?? (input.size - start)
            let missing = length - (input.size - start)
            let isInside = missing <= 0
            switch id {
            case "ds64" where container == .rf64 && sizes == nil:
                try input.requireInside(chunk)
                var fields = try input.fields("'ds64'", at: start, count: Int(min(length, 24)), byteOrder: order)
                try fields.skip(8)
                sizes = (try fields.integer(), try fields.integer())
            case "fmt " where format == nil:
                try input.requireInside(chunk)
                format = try Format(&input, chunk, byteOrder: order)
            case "data" where data == nil:
                // Some writers count headers too, in a file that is all there.
                let isWhole = missing <= 64 && !isStreamed && Int64(riffSize) + 8 <= input.size
                data = (start, min(length, input.size - start), !isInside && !isWhole)
            case "fact" where factFrames == nil && isInside && length >= 4:
                var fields = try input.fields("'fact'", at: start, count: 4, byteOrder: order)
                factFrames = Int64(try fields.integer(UInt32.self))
            case "LIST" where isInside:
                try strings(&input, chunk, byteOrder: order)
            default:
                if !isInside, data == nil { try input.requireInside(chunk) }
            }
            guard try input.note(chunk, soundIsFound: format != nil && data != nil), isInside else { break }
            offset = start + length + (length & 1)
        }
        guard let format else { throw input.missing("fmt ", in: "WAVE") }
        guard let data else { throw input.missing("data", in: "WAVE") }
        if format.tag == 0x55 {
            let range = data.offset..<data.offset + data.size
            guard var parsed = try MPEGHeader.parse(&input, range, container) else {
                throw SoundFileError(
                    .notASound, expected: "MP3 within WAVE, as format 85 says", found: "other bytes",
                    offset: data.offset)
            }
            if data.truncated { parsed.isTruncated = true }
            return parsed
        }
        var parsed = try format.parsed(container: container, dataOffset: data.offset, dataSize: data.size)
        parsed.isTruncated = data.truncated
        if parsed.codec == .imaADPCM {
            if factFrames == 0xFFFF_FFFF { factFrames = sizes.map { Int64(clamping: $0.frames) } }
            // A count that does not end within the last block is wrong: streaming writers leave 0, libsndfile writes
            // half of it for two channels, and others count samples instead of frames.
            let most = parsed.presentFrames
            if let factFrames, factFrames <= most, factFrames > most - Int64(parsed.framesPerPacket) {
                parsed.countedFrames = factFrames
            }
        }
        return parsed
    }

    /// A list of type `INFO`: chunks of text.
    private static func strings<S>(
        _ input: inout HeaderInput<S>, _ chunk: SoundChunk, byteOrder: LinearPCM.ByteOrder
    ) throws(SoundFileError) {
        let count = Int(min(chunk.size ?? 0, Int64(SoundLimits.textBytes)))
        var fields = try input.fields("'LIST'", at: chunk.offset, count: count, byteOrder: byteOrder)
        guard fields.remaining >= 4, try fields.code() == "INFO" else { return }
        while fields.remaining >= 8 {
            let key = try fields.code()
            let size = Int(clamping: try fields.integer(UInt32.self))
            let start = fields.position
            let present = min(size, fields.remaining)
            try fields.skip(present)
            input.note(key.description, fields.bytes[start..<start + present])
            if size & 1 == 1, fields.remaining > 0 { try fields.skip(1) }
        }
    }
}
