import Glibc
import SystemPackage

/// Which file a path led to, to tell later whether it still does.
struct FileIdentity: Sendable, Hashable {
    private let path: FilePath
    private let device: UInt64
    private let inode: UInt64
    private let special: UInt64

    /// The file that is at `path` now; nil where none is. The corresponding C function is `stat`.
    init?(_ path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        special = UInt64(status.st_rdev)
    }

    /// Whether the path still leads to that file.
    var isThere: Bool { FileIdentity(path) == self }
}
