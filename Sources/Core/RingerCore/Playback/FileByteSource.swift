import CLinux
import Glibc
import SystemPackage

/// A file as a source of bytes. It is closed with the last reference. Any thread.
public final class FileByteSource: ByteSource, Sendable {
    private let descriptor: FileDescriptor
    private let isWanted: @Sendable () -> Bool

    /// The file's size in bytes when it was opened.
    public let size: Int64

    /// The file's path, for errors.
    let path: String

    /// Opens the file at `path`.
    ///
    /// - Throws: ``RingerError`` naming the file, with the system's reason. What is no regular file is refused, and not
    ///   opened.
    public convenience init(_ path: String) throws(RingerError) {
        try self.init(path, while: { true })
    }

    /// As ``init(_:)``; every read fails once `isWanted` returns false: nobody waits for the file's contents any more.
    package convenience init(
        _ path: String, while isWanted: @escaping @Sendable () -> Bool
    ) throws(RingerError) {
        try self.init(path, while: isWanted) { () throws(Errno) in
            let file = ringer_open_file(path)
            guard file >= 0 else { throw Errno(rawValue: errno) }
            return FileDescriptor(rawValue: file)
        }
    }

    /// Opens a file that must lie within its directory.
    ///
    /// - Throws: ``RingerError`` as ``init(_:)`` does; with the system's `ELOOP` if the path contains a symbolic link.
    convenience init(_ file: ContainedFile, isComponentwise: Bool = false) throws(RingerError) {
        let linkDetail = "a symbolic link in its path may lead out of \(file.directory)"
        try self.init(file.path, linkDetail: linkDetail) { () throws(Errno) in
            try file.open(isComponentwise: isComponentwise)
        }
    }

    /// Reads a file that is open already, and stays its owner's.
    ///
    /// - Throws: ``RingerError`` naming the file where the descriptor is not a regular file's, or may not be read.
    package convenience init(
        _ descriptor: FileDescriptor, name: String? = nil, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(RingerError) {
        try self.init(name ?? "descriptor \(descriptor.rawValue)", while: isWanted) { () throws(Errno) in
            let duplicate = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 3)
            guard duplicate >= 0 else { throw Errno(rawValue: errno) }
            return FileDescriptor(rawValue: duplicate)
        }
    }

    private init(
        _ path: String, linkDetail: String? = nil, while isWanted: @escaping @Sendable () -> Bool = { true },
        open: () throws(Errno) -> FileDescriptor
    ) throws(RingerError) {
        self.path = path
        self.isWanted = isWanted
        do throws(Errno) {
            descriptor = try FileWait.during(open)
        } catch {
            throw RingerError(
                "open", path, error, detail: error == .tooManySymbolicLinkLevels ? linkDetail : nil)
        }
        var status = stat()
        let failure = FileWait.during { [descriptor] in
            fstat(descriptor.rawValue, &status) == 0 ? nil : Errno(rawValue: errno)
        }
        size = Int64(status.st_size)
        // What was opened is closed by `deinit` from here on.
        if let failure { throw RingerError("read", path, failure) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RingerError(
                .invalid, "read", path,
                errno: status.st_mode & S_IFMT == S_IFDIR ? .isDirectory : .illegalSeek, detail: "it is no file")
        }
    }

    deinit {
        // Nothing was written: an error on closing has no consequence.
        try? FileWait.during { try descriptor.close() }
    }

    /// Reads at `offset`. The corresponding C function is `pread`.
    public func read(at offset: Int64, into buffer: inout MutableRawSpan) throws(SoundFileError) -> Int {
        do {
            guard isWanted() else { throw Errno.canceled }
            return try buffer.withUnsafeMutableBytes { bytes in
                try FileWait.during { try descriptor.read(fromAbsoluteOffset: offset, into: bytes) }
            }
        } catch {
            throw SoundFileError(
                .readFailed, expected: "\(buffer.byteCount) bytes", found: "an error", offset: offset,
                underlying: error)
        }
    }

    /// Throws where the file has another size than when it was opened.
    package func checkSize() throws(RingerError) {
        var status = stat()
        let failure = FileWait.during { fstat(descriptor.rawValue, &status) == 0 ? nil : Errno(rawValue: errno) }
        if let failure { throw RingerError("read", path, failure) }
        guard Int64(status.st_size) == size else {
            throw RingerError(
                .invalid, "read", path,
                detail: "it had \(size) bytes, and has \(status.st_size) now: somebody writes it")
        }
    }
}
