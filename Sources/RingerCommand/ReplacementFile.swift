import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that appears under its name whole or not at all: written under another name beside it, made durable, renamed.
struct ReplacementFile: ~Copyable {
    let descriptor: FileDescriptor
    private let path: FilePath
    private let temporary: FilePath
    private var isFinished = false

    /// Creates the file under its temporary name, with the permissions that any new file gets; throws `Errno`.
    init(_ path: FilePath) throws {
        self.path = path
        let name = path.lastComponent?.string ?? "output"
        let folder = path.removingLastComponent()
        var generator = SystemRandomNumberGenerator()
        let temporary = folder.appending(".\(name).\(String(generator.next(), radix: 36))")
        self.temporary = temporary
        descriptor = try FileDescriptor.open(
            temporary, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: FilePermissions(rawValue: 0o666))
    }

    /// Makes what was written durable and gives it its name; a file of that name is replaced. Throws `Errno`.
    mutating func finish() throws {
        try check(fsync(descriptor.rawValue))
        try check(temporary.withPlatformString { from in path.withPlatformString { rename(from, $0) } })
        isFinished = true
        // The name is durable when the folder is.
        let folder = path.removingLastComponent()
        let parent = try FileDescriptor.open(
            folder.isEmpty ? "." : folder, .readOnly, options: [.directory, .closeOnExec])
        try parent.closeAfter { try check(fsync(parent.rawValue)) }
    }

    deinit {
        // After fsync a close has nothing left to report; before it, the file is thrown away.
        try? descriptor.close()
        if !isFinished { _ = temporary.withPlatformString { unlink($0) } }
    }
}

/// Turns -1 into the error it stands for.
private func check(_ result: CInt) throws {
    if result == -1 { throw Errno(rawValue: errno) }
}
