import FourCharacterCodes
/// Reads a file's headers in small pieces, and collects its chunks and texts.
struct HeaderInput<Source: ByteSource> {
    var source: Source
    /// How many bytes the file has.
    let size: Int64
    /// The chunks seen so far.
    private(set) var chunks: [SoundChunk] = []
    /// The texts seen so far.
    private(set) var tags: [SoundTag] = []

    init(_ source: Source) {
        self.source = source
        size = min(source.size, SoundLimits.fileSize)
    }

    /// Reads up to `count` bytes at `offset`: fewer only where the file ends.
    mutating func bytes(at offset: Int64, count: Int) throws(SoundFileError) -> [UInt8] {
        let present = Int(max(0, min(Int64(count), size - offset)))
        var bytes = [UInt8](repeating: 0, count: present)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        try source.fill(&raw, at: offset)
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
        chunks.append(chunk)
        return true
    }

    /// Adds a text; texts beyond a limit that no ordinary file reaches are left out.
    mutating func note(_ key: String, _ value: some Collection<UInt8>) {
        guard tags.count < SoundLimits.chunks else { return }
        var text = Array(value)
        while let last = text.last, last == 0 || last == 0x20 { text.removeLast() }
        if !text.isEmpty { tags.append(SoundTag(key: key, value: String(decoding: text, as: UTF8.self))) }
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
