import FourCharacterCodes
/// Reads a file's headers in small pieces, and collects its chunks and texts.
struct HeaderInput<Source: ByteSource> {
    var source: Source
    /// Where the file's first header is, behind tags; every offset counts from there, but those of ``chunks``.
    private(set) var base: Int64 = 0
    private let fileSize: Int64
    /// How long the sound may be, where that is known: nobody counts beyond it.
    let maximumDuration: Duration?
    /// How many more tags are skipped.
    private var tagsLeft = SoundLimits.mpegGaps
    /// How many bytes the file has from its first header on.
    var size: Int64 { fileSize - base }
    /// The chunks seen so far.
    private(set) var chunks: [SoundChunk] = []
    /// The texts seen so far.
    private(set) var tags: [SoundTag] = []

    init(_ source: Source, atMost maximumDuration: Duration? = nil) {
        self.source = source
        self.maximumDuration = maximumDuration
        fileSize = min(source.size, SoundLimits.fileSize)
    }

    /// Reads up to `count` bytes at `offset`: fewer only where the file ends.
    mutating func bytes(at offset: Int64, count: Int) throws(SoundFileError) -> [UInt8] {
        let present = Int(max(0, min(Int64(count), size - offset)))
        var bytes = [UInt8](repeating: 0, count: present)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try source.fill(&raw, at: base + offset)
        return bytes
    }

    /// Reads the header called `name`: up to `count` bytes at `offset`.
    mutating func fields(
        _ name: String, at offset: Int64, count: Int, byteOrder: LinearPCM.ByteOrder = .big
    ) throws(SoundFileError) -> HeaderFields {
        HeaderFields(name: name, bytes: try bytes(at: offset, count: count), base: offset, byteOrder: byteOrder)
    }

    /// Adds a chunk. Returns whether to look for more; throws for a file of too many chunks without a sound.
    mutating func note(_ chunk: SoundChunk, soundIsFound: Bool) throws(SoundFileError) -> Bool {
        guard chunks.count < SoundLimits.chunks else {
            if soundIsFound { return false }
            throw SoundFileError(
                .tooManyChunks, expected: "at most \(SoundLimits.chunks) chunks", found: "another, '\(chunk.id)'",
                offset: chunk.offset)
        }
        chunks.append(SoundChunk(id: chunk.id, offset: base + chunk.offset, size: chunk.size))
        return true
    }

    /// Adds a text; texts beyond a limit that no ordinary file reaches are left out.
    mutating func note(_ key: String, _ value: some Collection<UInt8>) {
        guard tags.count < SoundLimits.chunks else { return }
        var text = Array(value)
        while let last = text.last, last == 0 || last == 0x20 { text.removeLast() }
        if !text.isEmpty { tags.append(SoundTag(key: key, value: String(decoding: text, as: UTF8.self))) }
    }

    /// Skips the ID3 tags that some programs put in front of any file.
    mutating func skipTags() throws(SoundFileError) {
        base = try behindTags(at: 0, onlyID3: true)
    }

    /// The offset behind the tags at `offset`: ID3, with the zeros that may follow one, and those of MP3 alone.
    mutating func behindTags(at offset: Int64, onlyID3: Bool = false) throws(SoundFileError) -> Int64 {
        var end = offset
        while tagsLeft > 0 {
            let header = try bytes(at: end, count: 32)
            if header.count >= 10, header.starts(with: "ID3".utf8) {
                let length = header[6..<10].reduce(Int64(0)) { $0 << 7 | Int64($1 & 0x7F) }
                // One that lasts longer than the file is none, or a part of one.
                if end + 10 + length > size { break }
                end += 10 + length + (header[5] & 0x10 != 0 ? 10 : 0)
                let padding = try bytes(at: end, count: SoundLimits.textBytes)
                end += Int64(padding.firstIndex { $0 != 0 } ?? 0)
            } else if !onlyID3, header.count == 32, header.starts(with: "APETAGEX".utf8) {
                let isHeader = header[23] & 0x20 != 0
                end += 32 + (isHeader ? header[12..<16].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) } : 0)
            } else if !onlyID3, offset > 0, header.starts(with: "TAG".utf8) {
                end += 128
            } else {
                break
            }
            tagsLeft -= 1
        }
        return min(end, size)
    }

    /// Whether a chunk may begin at `offset`, or the file ends there. If neither, a size of 0 before it was never filled in, and
    /// what is there is sound.
    mutating func mayBeChunk(
        at offset: Int64, sizeBytes: Int = 4, _ byteOrder: LinearPCM.ByteOrder = .big
    ) throws(SoundFileError) -> Bool {
        guard offset < size else { return true }
        var header = try fields("a chunk header", at: offset, count: 4 + sizeBytes, byteOrder: byteOrder)
        guard header.remaining == 4 + sizeBytes, header.bytes[..<4].allSatisfy({ 0x20...0x7E ~= $0 }) else {
            return false
        }
        // These are no sound, even if they are cut off.
        if ["LIST", "id3 ", "fact", "bext", "cue "].contains(try header.code()) { return true }
        let length = sizeBytes == 8 ? try header.integer(UInt64.self) : UInt64(try header.integer(UInt32.self))
        return length <= UInt64(size - offset) - UInt64(header.position)
    }

    /// The error for a missing chunk that the container requires.
    func missing(_ chunk: FourCharacterCode, in container: String) -> SoundFileError {
        SoundFileError(
            .missingChunk, expected: "a '\(chunk)' chunk in \(container)", found: "the end of the file", offset: size)
    }

    /// Checks that a chunk the sound depends on lies within the file.
    func requireInside(_ chunk: SoundChunk) throws(SoundFileError) {
        if let length = chunk.size, length > size - chunk.offset {
            throw SoundFileError(
                .chunkTooLong, expected: "\(length) bytes of '\(chunk.id)'",
                found: "\(max(0, size - chunk.offset)) to the end of the file", offset: chunk.offset)
        }
    }
}
