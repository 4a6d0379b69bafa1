import FourCharacterCodes

/// Reads the headers of Core Audio Format, version 1.
///
/// Source: Apple, "Core Audio Format Specification".
enum CAFHeader {
    /// Reads everything but the sound.
    static func parse<S>(_ input: inout HeaderInput<S>) throws(SoundFileError) -> ParsedHeader {
        var file = try input.fields("the CAF header", at: 0, count: 8)
        try file.skip(4)
        let version = try file.integer(UInt16.self)
        guard version == 1 else {
            throw SoundFileError(.invalidHeader, expected: "CAF version 1", found: "\(version)", offset: 4)
        }
        var description: Description?
        var data: (offset: Int64, size: Int64, edits: UInt32, truncated: Bool)?
        var table: PacketTable?
        var layout: ChannelLayout?

        var offset: Int64 = 8
        while offset < input.size {
            // Ignore a broken rest of a file after its data.
            if input.size - offset < 12, data != nil { break }
            var header = try input.fields("a CAF chunk header", at: offset, count: 12)
            let id = try header.code()
            let stated = Int64(bitPattern: try header.integer(UInt64.self))
            let start = offset + 12
            if description == nil, id != "desc" {
                throw SoundFileError(
                    .missingChunk, expected: "'desc' as the first chunk", found: "'\(id)'", offset: offset)
            }
            let isEmpty = id == "data" && (stated == 0 || stated == 4)
            let isUnfilled = try isEmpty ? !input.mayBeChunk(at: start + stated, sizeBytes: 8) : false
            if id == "data", stated == -1 || isUnfilled, data == nil {
                _ = try input.note(SoundChunk(id: id, offset: start, size: nil), soundIsFound: false)
                data = try self.data(&input, at: start, size: input.size - start)
                break
            }
            guard stated >= 0 else {
                if data != nil { break }
                throw SoundFileError(
                    .invalidHeader, expected: "the size of '\(id)'", found: "\(stated)", offset: offset + 4)
            }
            let chunk = SoundChunk(id: id, offset: start, size: stated)
            let isInside = stated <= input.size - start
            switch id {
            case "desc" where description == nil:
                try input.requireInside(chunk)
                description = try Description(&input, chunk)
            case "data" where data == nil:
                data = try self.data(&input, at: start, size: stated)
            case "pakt" where table == nil:
                try input.requireInside(chunk)
                table = try PacketTable(&input, chunk)
            case "chan" where layout == nil && isInside && stated >= 12:
                var fields = try input.fields("'chan'", at: start, count: 12)
                layout = ChannelLayout(tag: try fields.integer(), bitmap: try fields.integer())
            case "info" where isInside:
                try strings(&input, chunk)
            default:
                if !isInside, data == nil { try input.requireInside(chunk) }
            }
            guard try input.note(chunk, soundIsFound: data != nil), isInside else { break }
            offset = start + stated
        }
        guard let description else { throw input.missing("desc", in: "CAF") }
        guard let data else { throw input.missing("data", in: "CAF") }

        var parsed = try description.parsed(dataOffset: data.offset, dataSize: data.size)
        parsed.isTruncated = data.truncated
        parsed.channelLayout = layout
        parsed.editCount = data.edits
        try table?.apply(to: &parsed)
        return parsed
    }

    /// The data chunk: a count of edits, then the sound, as much as the file has of it.
    private static func data<S>(
        _ input: inout HeaderInput<S>, at start: Int64, size: Int64
    ) throws(SoundFileError) -> (offset: Int64, size: Int64, edits: UInt32, truncated: Bool) {
        guard size >= 4 else {
            throw SoundFileError(
                .truncatedHeader, expected: "4 bytes of edit count in 'data'", found: "\(size)", offset: start)
        }
        var fields = try input.fields("the edit count of 'data'", at: start, count: 4)
        let edits = try fields.integer(UInt32.self)
        let present = min(size, input.size - start) - 4
        return (start + 4, present, edits, size > input.size - start)
    }

    /// The `info` chunk: a count, then keys and values, each ended by a zero byte.
    private static func strings<S>(_ input: inout HeaderInput<S>, _ chunk: SoundChunk) throws(SoundFileError) {
        let count = Int(min(chunk.size ?? 0, Int64(SoundLimits.textBytes)))
        guard count > 4 else { return }
        let parts = try input.bytes(at: chunk.offset + 4, count: count - 4)
            .split(separator: 0, omittingEmptySubsequences: false)
        // The last part follows the last zero: it is empty, or was cut off.
        for index in stride(from: 0, to: parts.count - 2, by: 2) {
            input.note(String(decoding: parts[index], as: UTF8.self), parts[index + 1])
        }
    }
}
