import Glibc

/// The small text files in which the kernel shows and takes its settings: sysfs, configfs, procfs.
enum KernelFile {
    /// Writes a setting, in one call, as these files want it.
    static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw LabFailure.system("open", path) }
        defer { close(file) }
        var text = text
        let count = text.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) }
        guard count == text.utf8.count else { throw LabFailure.system("write \(text) to", path) }
    }

    /// What the file says, without the end of its last line. At most 64 KiB.
    static func read(_ path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw LabFailure.system("open", path) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var length = 0
        while length < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress?.advanced(by: length), buffer.count - length)
            }
            guard count >= 0 else { throw LabFailure.system("read", path) }
            if count == 0 { break }
            length += count
        }
        if length > 0, bytes[length - 1] == UInt8(ascii: "\n") { length -= 1 }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }

    /// The names in a folder, sorted.
    static func names(in path: String) throws -> [String] {
        guard let folder = opendir(path) else { throw LabFailure.system("opendir", path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
