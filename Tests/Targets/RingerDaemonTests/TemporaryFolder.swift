import Glibc
import RingerCore
import SystemPackage

/// A directory that is removed with the last reference, and the files in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ringer-service-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw RingerError("make", "temporary directory", Errno(rawValue: errno))
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The files' names, sorted.
    var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Writes a file, and returns its path.
    func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    /// Writes a file, and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = try FileDescriptor.open(
            FilePath("\(path)/\(name)"), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
        return "\(path)/\(name)"
    }
}
