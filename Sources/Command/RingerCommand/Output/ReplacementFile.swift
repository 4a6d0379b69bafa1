import Glibc
import SystemPackage

/// A file that appears under its name only when it is complete: it is written without a name, synced, then linked.
///
/// If the file system does not support files without a name, or there is no `/proc` to link one by, a temporary name beside it
/// is used.
struct ReplacementFile: ~Copyable {
    let descriptor: FileDescriptor
    private let path: FilePath
    private let folder: FilePath
    private let temporary: FilePath
    /// Whether the temporary name has to be removed.
    private var hasName: Bool

    /// The bit of `O_TMPFILE` besides `O_DIRECTORY`, which is the same on every Linux that Swift supports.
    private static let nameless = FileDescriptor.OpenOptions(rawValue: 0o20_000_000)

    /// Creates the file with the permissions of any new file. Throws `Errno`.
    init(_ path: FilePath) throws {
        // Assigned last: the compiler of Swift 6.2.3 crashes on an initializer that throws in between.
        let parent = path.removingLastComponent()
        let folder = parent.isEmpty ? "." : parent
        var generator = SystemRandomNumberGenerator()
        let temporary = folder.appending(
            ".\(path.lastComponent?.string ?? "output").\(String(generator.next(), radix: 36))")
        let permissions = FilePermissions(rawValue: 0o666)
        do {
            guard access("/proc/self/fd", F_OK) == 0 else { throw Errno.notSupported }
            descriptor = try FileDescriptor.open(
                folder, .readWrite, options: [Self.nameless, .directory, .closeOnExec], permissions: permissions)
            hasName = false
        } catch let error as Errno where [.notSupported, .isDirectory, .invalidArgument].contains(error) {
            descriptor = try FileDescriptor.open(
                temporary, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
            hasName = true
        }
        self.path = path
        self.folder = folder
        self.temporary = temporary
    }

    /// Syncs the file and gives it its name, replacing a file of that name. Throws `Errno`.
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
        // The name is durable once the folder is synced.
        let parent = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        try parent.closeAfter { try check(fsync(parent.rawValue)) }
    }

    deinit {
        // Closing after fsync has no error to report; before it, the file is discarded.
        try? descriptor.close()
        if hasName { _ = temporary.withPlatformString { unlink($0) } }
    }
}

/// Converts a result of -1 to an error.
private func check(_ result: CInt) throws {
    if result == -1 { throw Errno(rawValue: errno) }
}
