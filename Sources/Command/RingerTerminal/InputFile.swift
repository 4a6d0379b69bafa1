import Glibc
import RingerCore
import SystemPackage

/// Reads text files whole, and standard input.
package enum InputFile {
    /// How large a file may be by default; a script is a page.
    package static let largest = 1 << 20

    /// The text of the file at `path`; "-" is standard input.
    package static func read(_ path: String, largest: Int = largest) throws(RingerError) -> String {
        do {
            if path == "-" { return String(decoding: try bytes(of: .standardInput, largest), as: UTF8.self) }
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            return String(decoding: try file.closeAfter { try bytes(of: file, largest) }, as: UTF8.self)
        } catch {
            throw RingerError("read", path == "-" ? "standard input" : path, (error as? Errno) ?? .ioError)
        }
    }

    private static func bytes(of file: FileDescriptor, _ largest: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= largest {
            let chunk = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        throw Errno.fileTooLarge
    }
}
