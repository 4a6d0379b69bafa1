import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that appears under its name whole or not at all: written without a name, made durable, named.
///
/// If the file system knows no files without names, it has another name beside it meanwhile.
struct ReplacementFile: ~Copyable {
    let descriptor: FileDescriptor
    private let path: FilePath
    private let folder: FilePath
    private let temporary: FilePath
    /// Whether the temporary name is there to be taken away.
    private var hasName: Bool

    /// The bit that `O_TMPFILE` has besides `O_DIRECTORY`, the same on every Linux that Swift runs on.
    private static let nameless = FileDescriptor.OpenOptions(rawValue: 0o20_000_000)

    /// Creates the file, with the permissions that any new file gets; throws `Errno`.
    init(_ path: FilePath) throws {
        self.path = path
        let parent = path.removingLastComponent()
        folder = parent.isEmpty ? "." : parent
        var generator = SystemRandomNumberGenerator()
        temporary = folder.appending(
            ".\(path.lastComponent?.string ?? "output").\(String(generator.next(), radix: 36))")
        let permissions = FilePermissions(rawValue: 0o666)
        do {
            descriptor = try FileDescriptor.open(
                folder, .readWrite, options: [Self.nameless, .directory, .closeOnExec], permissions: permissions)
            hasName = false
        } catch let error as Errno where [.notSupported, .isDirectory, .invalidArgument].contains(error) {
            descriptor = try FileDescriptor.open(
                temporary, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
            hasName = true
        }
    }

    /// Makes what was written durable and gives it its name; a file of that name is replaced. Throws `Errno`.
    ///
    /// The corresponding C functions are `fsync`, `linkat` and `rename`.
    mutating func finish() throws {
        try check(fsync(descriptor.rawValue))
        if !hasName {
            let own = "/proc/self/fd/\(descriptor.rawValue)"
            try check(temporary.withPlatformString { linkat(AT_FDCWD, own, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) })
            hasName = true
        }
        try check(temporary.withPlatformString { from in path.withPlatformString { rename(from, $0) } })
        hasName = false
        // The name is durable when the folder is.
        let parent = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        try parent.closeAfter { try check(fsync(parent.rawValue)) }
    }

    deinit {
        // After fsync a close has nothing left to report; before it, the file is thrown away.
        try? descriptor.close()
        if hasName { _ = temporary.withPlatformString { unlink($0) } }
    }
}

/// Turns -1 into the error it stands for.
private func check(_ result: CInt) throws {
    if result == -1 { throw Errno(rawValue: errno) }
}
