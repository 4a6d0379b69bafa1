import Glibc
import SystemPackage

extension TextFile {
    /// Replaces a file by one with this text, atomically: whenever the machine loses power, the file is the old one or the
    /// new one. It is first written beside it, with `.new` added to its name.
    ///
    /// The corresponding C functions are `fsync` and `rename`.
    package static func replace(_ path: String, with text: String) throws(RingerError) {
        let (path, temporary) = (FilePath(path), FilePath(path + ".new"))
        do {
            let file = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try file.closeAfter {
                try file.writeAll(text.utf8)
                try check(fsync(file.rawValue))
            }
            try check(rename(temporary.string, path.string))
            // The name is durable when the folder is.
            let parent = path.removingLastComponent()
            let folder = try FileDescriptor.open(
                parent.isEmpty ? "." : parent, .readOnly, options: [.directory, .closeOnExec])
            try folder.closeAfter { try check(fsync(folder.rawValue)) }
        } catch {
            // On a full disk it would be left behind empty.
            unlink(temporary.string)
            throw RingerError("write", path.string, (error as? Errno) ?? .ioError)
        }
    }

    private static func check(_ result: CInt) throws(Errno) {
        if result != 0 { throw Errno(rawValue: errno) }
    }
}
