import Glibc
import SystemPackage

/// A file as a source of bytes: opened for reading, read at offsets, closed with the last reference.
public final class FileByteSource: ByteSource {
    private let descriptor: FileDescriptor

    /// How many bytes the file had when it was opened.
    public let size: Int64

    /// Opens the file at `path`; where it is a symbolic link, only if `followsLinks` says so.
    ///
    /// - Throws: ``RingerError`` naming the file, with the system's reason; a directory is no sound.
    public init(_ path: String, followsLinks: Bool = true) throws(RingerError) {
        do {
            // A pipe or a terminal must not hold the caller up.
            var options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking]
            if !followsLinks { options.insert(.noFollow) }
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: options)
        } catch {
            throw RingerError("open", path, (error as? Errno) ?? .ioError)
        }
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else {
            let reason = Errno(rawValue: errno)
            Self.close(descriptor)
            throw RingerError("read", path, reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            Self.close(descriptor)
            throw RingerError(
                .invalid, "read", path,
                errno: status.st_mode & S_IFMT == S_IFDIR ? .isDirectory : .illegalSeek, detail: "it is no file")
        }
        size = Int64(status.st_size)
    }

    deinit {
        Self.close(descriptor)
    }

    /// Reads at `offset`. The corresponding C function is `pread`.
    public func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        do {
            return try buffer.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: offset, into: $0) }
        } catch {
            throw SoundFileError(
                .readFailed, expected: "\(buffer.byteCount) bytes", found: "an error", offset: offset,
                underlying: error)
        }
    }

    private static func close(_ descriptor: FileDescriptor) {
        // Nothing was written: an error on closing tells nothing that anybody could act on.
        try? descriptor.close()
    }
}
