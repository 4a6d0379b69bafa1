import Glibc
import RingerCore
import SystemPackage

/// An attribute of a device in sysfs: a file that holds one value.
struct AttributeFile: Sendable {
    let path: FilePath

    /// The attribute's value, without the line feed.
    func read() throws(RingerError) -> String {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            return try descriptor.closeAfter { try Self.text(descriptor) }
        } catch {
            throw failure("read", error)
        }
    }

    /// Sets the attribute to `text`.
    func write(_ text: String) throws(RingerError) {
        do {
            let descriptor = try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec, .truncate])
            try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        } catch {
            throw failure("write \(text)", error)
        }
    }

    /// Whether the attribute exists.
    var exists: Bool { access(path.string, F_OK) == 0 }

    private func failure(_ operation: String, _ error: any Error) -> RingerError {
        // swift-system throws only `Errno` here.
        guard let reason = error as? Errno else { return RingerError(.system, operation, path.string) }
        return RingerError(operation, path.string, reason)
    }

    private static func text(_ descriptor: FileDescriptor) throws -> String {
        // The kernel returns at most one page for an attribute.
        var bytes: [UInt8] = Array(repeating: 0, count: 4096)
        let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
