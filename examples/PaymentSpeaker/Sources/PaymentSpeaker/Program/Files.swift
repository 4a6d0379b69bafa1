import Glibc
import Ringer

/// Writes the whole text, unless the descriptor fails.
func write(_ text: String, to descriptor: CInt) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno != EINTR { return }
        bytes = bytes.dropFirst(max(count, 0))
    }
}

/// The text of a file.
///
/// - Throws: ``RingerError`` if it cannot be read, is larger than 1 MB or is not UTF-8.
func contents(of path: String) throws(RingerError) -> String {
    guard let file = fopen(path, "re") else {
        throw RingerError(.system, "read", path, detail: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
        guard bytes.count <= 1 << 20 else {
            throw RingerError(.invalid, "read", path, detail: "it is larger than 1 MB")
        }
    }
    guard ferror(file) == 0 else {
        throw RingerError(.system, "read", path, detail: String(cString: strerror(errno)))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw RingerError(.invalid, "read", path, detail: "it is not UTF-8")
    }
    return text
}
