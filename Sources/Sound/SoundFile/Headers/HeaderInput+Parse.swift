import FourCharacterCodes

extension HeaderInput {
    /// Reads the headers. A sound without a frame, and one that is longer than allowed, are refused.
    mutating func read() throws(SoundFileError) -> (parsed: ParsedHeader, info: SoundFileInfo) {
        let parsed = try parse()
        let info = parsed.info(chunks: chunks, tags: tags)
        if info.frames == 0 { throw .withoutFrames(isTruncated: info.isTruncated, at: info.dataOffset) }
        if let maximumDuration { try info.require(atMost: maximumDuration) }
        return (parsed, info)
    }

    /// Finds out the container from a file's first bytes, and reads its headers.
    private mutating func parse() throws(SoundFileError) -> ParsedHeader {
        try skipTags()
        guard size > 0 else {
            let found = base > 0 ? "nothing behind its tags" : "an empty file"
            throw SoundFileError(.notASound, expected: "a sound", found: found, offset: base)
        }
        do {
            var parsed = try parseContainer()
            parsed.dataOffset += base
            return parsed
        } catch {
            var error = error
            if error.code != .readFailed { error.offset = error.offset.map { base + $0 } }
            throw error
        }
    }

    private mutating func parseContainer() throws(SoundFileError) -> ParsedHeader {
        var start = try fields("a sound's first bytes", at: 0, count: 12)
        switch try start.code() {
        case "caff":
            return try CAFHeader.parse(&self)
        case "FORM":
            return try AIFFHeader.parse(&self)
        case "RIFF":
            return try WAVEHeader.parse(&self, as: .wave)
        case "RIFX":
            return try WAVEHeader.parse(&self, as: .rifx)
        case "RF64", "BW64":
            return try WAVEHeader.parse(&self, as: .rf64)
        case "OggS":
            return try SndfileHeader.parse(&self, as: .ogg)
        case "fLaC":
            return try SndfileHeader.parse(&self, as: .flac)
        case let other:
            if let parsed = try MPEGHeader.parse(&self, 0..<size) { return parsed }
            throw SoundFileError(
                .notASound, expected: "'caff', 'FORM', 'RIFF', 'RIFX', 'RF64', 'OggS', 'fLaC' or MP3",
                found: "'\(other)'",
                offset: 0)
        }
    }
}
