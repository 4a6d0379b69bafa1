import FourCharacterCodes

extension HeaderInput {
    /// Finds out the container from a file's first bytes, and reads its headers.
    mutating func parse() throws(SoundFileError) -> SoundPlan {
        guard size > 0 else {
            throw SoundFileError(.notASound, expected: "a sound", found: "an empty file", offset: 0)
        }
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
        case let code where MPEGHeader.mayBegin(with: code):
            return try MPEGHeader.parse(&self)
        case let other:
            throw SoundFileError(
                .notASound, expected: "'caff', 'FORM', 'RIFF', 'RIFX', 'RF64' or MP3", found: "'\(other)'", offset: 0)
        }
    }
}
