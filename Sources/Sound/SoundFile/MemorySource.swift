/// A file's bytes held in memory.
public struct MemorySource: ByteSource, Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// Makes a source of the given bytes, which are not copied.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes there are.
    public var size: Int64 { Int64(bytes.count) }

    /// Copies bytes from `offset` on into `buffer` and returns how many there were; never fails.
    public mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        guard offset >= 0, offset < Int64(bytes.count) else { return 0 }
        let start = Int(offset)
        let count = min(buffer.byteCount, bytes.count - start)
        let from = bytes.span.bytes.extracting(start..<start + count)
        var to = buffer._mutatingExtracting(first: count)
        from.withUnsafeBytes { source in
            // SAFETY: both spans were cut to `count` bytes with checks; the copy stays within them and cannot overlap.
            to.withUnsafeMutableBytes { $0.copyMemory(from: source) }
        }
        return count
    }

    /// The bytes are in memory.
    public var isInMemory: Bool { true }

    /// Hands the bytes of `range` to `body` where they lie.
    public func withBytes<R>(
        in range: Range<Int64>, _ body: (Span<UInt8>) throws(SoundFileError) -> R
    ) throws(SoundFileError) -> R? {
        guard range.lowerBound >= 0, range.upperBound <= size else { return nil }
        return try body(bytes.span.extracting(Int(range.lowerBound)..<Int(range.upperBound)))
    }
}
