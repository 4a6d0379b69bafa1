/// The destination of an encoder's bytes: memory, a file descriptor, anything that can be written at an offset.
///
/// The bytes are written in order, except that the header is written again when the sound's length is known.
public protocol ByteSink {
    /// Writes all of `bytes` at `offset`, which is never beyond the present end.
    ///
    /// - Throws: ``SoundFileError/Code/writeFailed`` with the cause as ``SoundFileError/underlying``.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SoundFileError)
}

/// A file being written to memory.
public struct MemorySink: ByteSink, Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Makes an empty file.
    public init() {}

    /// Puts bytes at `offset`, which lies within or at the end of what is there.
    public mutating func write(_ new: Span<UInt8>, at offset: Int64) throws(SoundFileError) {
        guard offset >= 0, offset <= Int64(bytes.count) else {
            throw SoundFileError(
                .writeFailed, expected: "a place up to byte \(bytes.count)", found: "\(offset)", offset: offset)
        }
        var place = Int(offset)
        var index = 0
        while index < new.count, place < bytes.count {
            bytes[place] = new[index]
            place += 1
            index += 1
        }
        while index < new.count {
            bytes.append(new[index])
            index += 1
        }
    }
}
