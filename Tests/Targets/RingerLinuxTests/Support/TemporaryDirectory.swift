import Glibc
import RingerLinux
import SystemPackage

/// A directory that a test fills with files, and that goes with the test.
final class TemporaryDirectory: Sendable {
    let path: FilePath
    /// Places that are searched for hardware, all of them in here.
    var paths: HardwarePaths {
        HardwarePaths(
            devices: path, input: path.appending("input"), leds: path, system: path.appending("sys"))
    }

    init() throws {
        var template = Array("/tmp/ringer-test.XXXXXX".utf8CString)
        guard let name = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        path = FilePath(String(cString: name))
    }

    deinit {
        Self.remove(path)
    }

    /// Makes a directory, those above it included.
    @discardableResult
    func makeDirectory(_ name: String) -> FilePath {
        var directory = path
        for component in FilePath(name).components {
            directory.append(component)
            mkdir(directory.string, 0o700)
        }
        return directory
    }

    /// Writes a file, and makes its directory.
    @discardableResult
    func write(_ text: String, to name: String) throws -> FilePath {
        let file = path.pushing(FilePath(name))
        makeDirectory(FilePath(name).removingLastComponent().string)
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        return file
    }

    func read(_ name: String) throws -> String {
        let descriptor = try FileDescriptor.open(path.pushing(FilePath(name)), .readOnly)
        return try descriptor.closeAfter {
            var bytes: [UInt8] = Array(repeating: 0, count: 4096)
            let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    func remove(_ name: String) {
        Self.remove(path.pushing(FilePath(name)))
    }

    private static func remove(_ path: FilePath) {
        if unlink(path.string) == 0 || errno == ENOENT { return }
        guard let stream = opendir(path.string) else { return }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { remove(path.appending(name)) }
        }
        closedir(stream)
        rmdir(path.string)
    }
}
