import Glibc
import RingerCore
import SystemPackage

/// Makes directories.
enum Directory {
    /// Creates the directory at `path` if it does not exist; its parent must exist. The corresponding C function is
    /// `mkdir`.
    static func make(_ path: String) throws(RingerError) {
        guard mkdir(path, 0o777) != 0 else { return }
        let reason = Errno(rawValue: errno)
        var status = stat()
        // SAFETY: stat fills in the structure, or fails.
        let isDirectory = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard reason == .fileExists, isDirectory else { throw RingerError("make the directory", path, reason) }
    }
}
