/// A sound's bytes in order, read through a small window.
struct StagedInput<Source: ByteSource> {
    /// Holds the largest packet of IMA4, 34 bytes for each of 256 channels, and fits the first-level cache.
    static var windowBytes: Int { 16384 }

    private var source: Source
    /// The most bytes that ``withBytes(_:_:)`` passes at once.
    let most: Int
    /// The position in the file of the next byte to decode.
    private var offset: Int64
    /// The position in the file at which the sound ends.
    private let end: Int64
    private var window: [UInt8]
    /// The offset in the file of the window's contents.
    private var windowOffset: Int64 = 0
    private var windowCount = 0

    init(_ source: Source, from offset: Int64, size: Int64) {
        self.source = source
        self.offset = offset
        end = offset + size
        most = source.isInMemory ? Int.max : Self.windowBytes
        window = source.isInMemory ? [] : [UInt8](repeating: 0, count: Self.windowBytes)
    }

    /// Whether the bytes are in memory.
    var isInMemory: Bool { source.isInMemory }

    /// The bytes of sound left.
    var remaining: Int64 { end - offset }

    /// Skips bytes of the sound.
    mutating func skip(_ count: Int64) {
        offset += count
    }

    /// Passes the next `count` bytes, at most ``most``, to `body`: in place if they are in memory, else through the
    /// window.
    mutating func withBytes<R>(
        _ count: Int, _ body: (Span<UInt8>) throws(SoundFileError) -> R
    ) throws(SoundFileError) -> R {
        let next = offset..<offset + Int64(count)
        if let result = try source.withBytes(in: next, body) {
            offset = next.upperBound
            return result
        }
        // Taken out while reading: the source and the window are changed at the same time.
        var taken: [UInt8] = []
        swap(&taken, &window)
        defer { swap(&taken, &window) }
        if offset < windowOffset || offset + Int64(count) > windowOffset + Int64(windowCount) {
            windowCount = 0
            if taken.count < count { taken = [UInt8](repeating: 0, count: max(count, Self.windowBytes)) }
            let present = Int(max(Int64(count), min(Int64(taken.count), remaining)))
            var span = taken.mutableSpan
            var part = span._mutatingExtracting(0..<present)
            var bytes = part.mutableBytes
            try source.fill(&bytes, at: offset)
            windowOffset = offset
            windowCount = present
        }
        let start = Int(offset - windowOffset)
        offset += Int64(count)
        return try body(taken.span.extracting(start..<start + count))
    }

    /// 16-bit samples are read directly into the output and swapped there, a piece at a time while it is in the cache.
    mutating func readInt16(
        _ count: Int, bigEndian: Bool, into output: inout MutableSpan<Int16>
    ) throws(SoundFileError) {
        #if _endian(little)
        let swaps = bigEndian
        #else
        let swaps = !bigEndian
        #endif
        if swaps, source.isInMemory {
            return try withBytes(count * 2) { bytes throws(SoundFileError) in
                SampleCoding.swap(bytes, into: &output)
            }
        }
        var done = 0
        while done < count {
            let piece = swaps ? min(8192, count - done) : count - done
            var part = output._mutatingExtracting(done..<done + piece)
            do {
                var bytes = part.mutableBytes
                try source.fill(&bytes, at: offset)
            }
            if swaps {
                for index in part.indices { part[index] = part[index].byteSwapped }
            }
            offset += Int64(piece * 2)
            done += piece
        }
    }

    /// Samples of any other width pass through the window.
    mutating func readSamples<T: DecodedSample>(
        _ count: Int, _ coding: SampleCoding, into output: inout MutableSpan<T>
    ) throws(SoundFileError) {
        let width = coding.format.bytesPerSample
        var done = 0
        while done < count {
            let samples = min(most / width, count - done)
            var part = output._mutatingExtracting(done..<done + samples)
            try withBytes(samples * width) { bytes throws(SoundFileError) in
                T.decode(coding, bytes, into: &part)
            }
            done += samples
        }
    }
}
