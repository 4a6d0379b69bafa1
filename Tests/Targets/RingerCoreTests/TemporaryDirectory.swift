import Glibc
import RingerCore
import SystemPackage

/// A directory of its own for one test, removed with all it holds.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ringer-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Removes a file, or a directory with all that is in it.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, let stream = opendir(path) else { return }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { remove(path + "/" + name) }
        }
        closedir(stream)
        rmdir(path)
    }

    /// Makes a directory inside, and those above it.
    func make(_ name: String) throws {
        var parts = path
        for part in name.split(separator: "/") {
            parts += "/" + part
            guard mkdir(parts, 0o755) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
        }
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = path + "/" + name
        let descriptor = try FileDescriptor.open(
            FilePath(file), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
        return file
    }

    /// Writes a WAV file of one channel of 16-bit samples that count up, and returns its path.
    @discardableResult
    func writeWAV(_ name: String, rate: UInt32 = 48_000, frames: Int) throws -> String {
        func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let size = UInt32(frames * 2)
        var bytes = Array("RIFF".utf8) + little(36 + size) + Array("WAVEfmt ".utf8) + little(UInt32(16))
        bytes += little(UInt16(1)) + little(UInt16(1)) + little(rate) + little(rate * 2) + little(UInt16(2))
        bytes += little(UInt16(16)) + Array("data".utf8) + little(size)
        bytes.reserveCapacity(bytes.count + frames * 2)
        for frame in 0..<frames { bytes += little(Int16(truncatingIfNeeded: frame)) }
        return try write(name, bytes)
    }
}
