import Glibc
import SystemPackage

/// The files of the documentation's pictures.
enum PictureFiles {
    /// docs/pictures of the repository that this file is in.
    static let directory: String = {
        let root = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .removingLastComponent()
        return root.appending("docs").appending("pictures").string
    }()

    /// Whether to draw the pictures again instead of comparing them.
    static var areToBeDrawn: Bool { getenv("RINGER_DRAW") != nil }

    static func path(of name: String) -> String { directory + "/" + name + ".svg" }

    static func read(_ path: String) throws -> String {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var count = 0
            while case let got = try bytes.withUnsafeMutableBytes({
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }), got > 0 {
                count += got
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    static func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        try file.closeAfter { _ = try file.writeAll(text.utf8) }
    }
}
