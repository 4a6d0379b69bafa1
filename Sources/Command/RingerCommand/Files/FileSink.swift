import SoundFile
import SystemPackage

/// A file on disk that a sound is written to. Its creator closes the descriptor.
struct FileSink: ByteSink {
    let descriptor: FileDescriptor

    mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SoundFileError) {
        do {
            // SAFETY: the bytes are only used during the call, which takes no more than their count.
            try bytes.withUnsafeBytes { bytes in
                _ = try descriptor.writeAll(toAbsoluteOffset: offset, bytes)
            }
        } catch {
            throw SoundFileError(
                .writeFailed, expected: "room for \(bytes.count) bytes", found: "an error", offset: offset,
                underlying: error)
        }
    }
}
