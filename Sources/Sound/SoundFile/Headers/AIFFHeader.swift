import FourCharacterCodes

/// Reads the headers of AIFF and AIFF-C.
///
/// Source: Apple, "Audio Interchange File Format" 1.3 and "AIFF-C" draft 08/26/91; QuickTime for the later codecs.
enum AIFFHeader {
    /// Reads everything but the sound.
    static func parse<S>(_ input: inout HeaderInput<S>) throws(SoundFileError) -> ParsedHeader {
        var file = try input.fields("the AIFF header", at: 0, count: 12)
        try file.skip(4)
        let formSize = try file.integer(UInt32.self)
        let form = try file.code()
        guard form == "AIFF" || form == "AIFC" else {
            throw SoundFileError(.notASound, expected: "'AIFF' or 'AIFC' within FORM", found: "'\(form)'", offset: 8)
        }
        let container: SoundContainer = form == "AIFC" ? .aifc : .aiff
        // Writers that cannot seek back leave these.
        let isStreamed = formSize == 0 || formSize >= 0x7F00_0000
        let end = isStreamed ? input.size : min(input.size, Int64(formSize) + 8)
        var common: Common?
        var data: (offset: Int64, size: Int64, truncated: Bool)?
        var layout: ChannelLayout?

        var offset: Int64 = 12
        // What follows the form's end does not belong to it, unless the form's size is wrong and the sound is there.
        while offset < (common == nil || data == nil ? input.size : end) {
            if input.size - offset < 8, common != nil { break }
            var header = try input.fields("an AIFF chunk header", at: offset, count: 8)
            let id = try header.code()
            let stated = Int64(try header.integer(UInt32.self))
            let start = offset + 8
            var chunk = SoundChunk(id: id, offset: start, size: stated)
            if id == "SSND", data == nil {
                let isOpen = try stated == 0 ? !input.mayBeChunk(at: start) : isStreamed && stated > input.size - start
                if isOpen { chunk.size = nil }
            }
            let length = chunk.size ?? (input.size - start)
            let isInside = length <= input.size - start
            guard try input.note(chunk, soundIsFound: common != nil && data != nil) else { break }
            switch id {
            case "COMM" where common == nil:
                try input.requireInside(chunk)
                common = try Common(&input, chunk, container: container)
            case "SSND" where data == nil:
                data = try soundData(&input, at: start, size: length)
            case "CHAN" where layout == nil && isInside && stated >= 12:
                var fields = try input.fields("'CHAN'", at: start, count: 12)
                layout = ChannelLayout(tag: try fields.integer(), bitmap: try fields.integer())
            case "NAME" where isInside, "AUTH" where isInside, "(c) " where isInside, "ANNO" where isInside:
                let count = Int(min(length, Int64(SoundLimits.textBytes)))
                input.note(id.description, try input.bytes(at: start, count: count))
            default:
                if !isInside, common == nil || data == nil { try input.requireInside(chunk) }
            }
            if !isInside { break }
            offset = start + length + (length & 1)
        }
        guard let common else { throw input.missing("COMM", in: "AIFF") }
        if data == nil, common.frames == 0 { data = (input.size, 0, false) }
        guard let data else { throw input.missing("SSND", in: "AIFF") }
        var parsed = try common.parsed(dataOffset: data.offset, dataSize: data.size, isStreamed: isStreamed)
        if data.truncated { parsed.isTruncated = true }
        parsed.channelLayout = layout
        return parsed
    }

    /// The sound data chunk: an offset to skip, a block size of no use, then the sound, as much as the file has of it.
    private static func soundData<S>(
        _ input: inout HeaderInput<S>, at start: Int64, size: Int64
    ) throws(SoundFileError) -> (offset: Int64, size: Int64, truncated: Bool) {
        var fields = try input.fields("'SSND'", at: start, count: Int(min(size, 8)))
        let skipped = Int64(try fields.integer(UInt32.self))
        try fields.skip(4)
        guard skipped <= size - 8 else {
            throw SoundFileError(
                .invalidHeader, expected: "an offset of at most \(size - 8) in 'SSND'", found: "\(skipped)",
                offset: start)
        }
        let from = min(start + 8 + skipped, input.size)
        let present = min(size, input.size - start) - 8 - skipped
        return (from, max(0, present), size > input.size - start)
    }
}
