import SoundFile
import SystemPackage

/// A file on disk that a sound is read from; closes it at the end.
final class FileSource: ByteSource {
    let size: Int64
    private let descriptor: FileDescriptor

    /// Opens a file; throws `Errno`. What cannot be sought in, such as a pipe, is refused with `ESPIPE`.
    init(_ path: FilePath) throws {
        // Without non-blocking, opening a FIFO that nobody writes to would hang.
        descriptor = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        do {
            size = try descriptor.seek(offset: 0, from: .end)
        } catch {
            try? descriptor.close()
            throw error
        }
    }

    deinit {
        // Nothing was written, so nothing can be lost by a close that fails.
        try? descriptor.close()
    }

    func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        do {
            // SAFETY: the buffer is only used during the call, which fills no more than its count of bytes.
            return try buffer.withUnsafeMutableBytes { bytes in
                try descriptor.read(fromAbsoluteOffset: offset, into: bytes)
            }
        } catch {
            throw SoundFileError(
                .readFailed, expected: "\(buffer.byteCount) bytes", found: "an error", offset: offset, underlying: error
            )
        }
    }
}
