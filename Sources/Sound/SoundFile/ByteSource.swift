/// The source of a decoder's bytes: memory, a file descriptor, anything that has a size and can be read at an
/// offset.
public protocol ByteSource {
    /// How many bytes there are.
    var size: Int64 { get }

    /// Reads bytes from `offset` on into the beginning of `buffer` and returns how many there were.
    ///
    /// At least one byte is read unless `offset` is at or past the end; fewer than asked for is no error. What fails is
    /// thrown as ``SoundFileError/Code/readFailed`` with the cause as ``SoundFileError/underlying``.
    mutating func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int

    /// Hands the bytes of `range` to `body` where they lie, without copying them, and returns what it returned.
    ///
    /// Returns `nil`, without calling `body`, where the bytes are not in memory or not all there; so it does unless a
    /// source says otherwise.
    func withBytes<R>(
        in range: Range<Int64>, _ body: (Span<UInt8>) throws(SoundFileError) -> R
    ) throws(SoundFileError) -> R?

    /// Whether ``withBytes(in:_:)`` hands out bytes; `false` unless a source says otherwise.
    var isInMemory: Bool { get }
}

extension ByteSource {
    /// Hands out nothing: the bytes are not in memory.
    public func withBytes<R>(
        in range: Range<Int64>, _ body: (Span<UInt8>) throws(SoundFileError) -> R
    ) throws(SoundFileError) -> R? {
        nil
    }

    /// The bytes are not in memory.
    public var isInMemory: Bool { false }

    /// Fills all of `buffer` with the bytes from `offset` on, however many reads that takes.
    mutating func fill(_ buffer: inout MutableRawSpan, at offset: Int64) throws(SoundFileError) {
        let count = buffer.byteCount
        var done = 0
        while done < count {
            var rest = buffer._mutatingExtracting(done..<count)
            let got = try read(at: offset + Int64(done), into: &rest)
            if got <= 0 || got > count - done {
                throw SoundFileError(
                    .readFailed, expected: "\(count) bytes", found: got > 0 ? "\(got) bytes" : "the end of the source",
                    offset: offset + Int64(done))
            }
            done += got
        }
    }
}
