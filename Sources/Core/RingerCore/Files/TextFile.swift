import Glibc
import SystemPackage

/// Small text files.
package enum TextFile {
    /// The largest file that is read, in bytes.
    private static let limit = 1 << 20

    /// Whether there is no file yet, in a directory that is there: the file of a directory that is not mounted may have one.
    package static func isMissing(_ path: String) -> Bool {
        let parent = FilePath(path).removingLastComponent()
        do {
            let directory = try FileDescriptor.open(
                parent.isEmpty ? "." : parent, .readOnly, options: [.directory, .closeOnExec])
            defer { try? directory.close() }
            var information = stat()
            return lstat(path, &information) != 0 && errno == ENOENT
        } catch {
            return false
        }
    }

    /// Reads a file.
    ///
    /// - Throws: ``RingerError``; `invalid` where it is larger than 1 MiB or not UTF-8.
    package static func read(_ path: String) throws(RingerError) -> String {
        guard let text = String(validating: try bytes(of: path), as: UTF8.self) else {
            throw RingerError(.invalid, "read", path, detail: "it is not UTF-8 text")
        }
        return text
    }

    /// The bytes of a small file, of text or not.
    ///
    /// - Parameter operation: What reading it is called in errors.
    /// - Throws: ``RingerError``; `invalid` where it is larger than 1 MiB.
    package static func bytes(of path: String, _ operation: String = "read") throws(RingerError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            try file.closeAfter {
                var part = [UInt8](repeating: 0, count: 4096)
                while bytes.count <= limit {
                    let count = try part.withUnsafeMutableBytes { try file.read(into: $0) }
                    if count == 0 { break }
                    bytes += part[..<count]
                }
            }
        } catch {
            throw RingerError(operation, path, (error as? Errno) ?? .ioError)
        }
        guard bytes.count <= limit else {
            throw RingerError(.invalid, operation, path, detail: "it is larger than 1 MiB")
        }
        return bytes
    }
}
