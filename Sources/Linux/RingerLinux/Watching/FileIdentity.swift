import Glibc
import SystemPackage

/// The identity of the file at a path: to find out later whether the path still leads to the same file.
struct FileIdentity: Sendable, Hashable {
    private let path: FilePath
    private let device: UInt64
    private let inode: UInt64
    private let special: UInt64

    /// The file at `path` now; nil if there is none. The corresponding C function is `stat`.
    init?(_ path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        special = UInt64(status.st_rdev)
    }

    /// Whether the path still leads to the same file.
    var isThere: Bool { FileIdentity(path) == self }
}
