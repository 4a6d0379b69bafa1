import Glibc
import RingerCore

/// A file that has no name any more: its descriptor is the only way to it.
package final class PrivateFile: Sendable {
    package let descriptor: CInt

    package init(_ bytes: [UInt8]) throws {
        var path = Array("/tmp/ringer-sound-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        unlink(path)
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw RingerError(.system, "write", "temporary file")
        }
    }

    /// A sound file that takes a while to decode, the longer the sound is.
    package convenience init(seconds: Double) throws {
        let sound = PCMBuffer(
            sampleRate: 48_000, channels: 2, samples: [Int16](repeating: 1, count: Int(seconds * 96_000)))
        try self.init(
            try SoundFiles.encode(
                sound, container: .wave,
                codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 3, byteOrder: .little))))
    }

    /// A sound file of so many bytes, nearly all of which are a hole.
    package convenience init(bytes size: Int) throws {
        var bytes = try SoundFiles.encode(
            PCMBuffer(sampleRate: 48_000, channels: 1, samples: [0]), container: .wave,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)))
        for (offset, value) in [(4, UInt32(size - 8)), (40, UInt32(size - 44))] {
            withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
        }
        try self.init(bytes)
        truncate(to: size)
    }

    /// An MP3 file of silence: frames of a header, and nothing in it.
    package static let silentMP3 = Array(
        repeatElement([0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413), count: 8).joined())

    package func truncate(to size: Int) {
        ftruncate(descriptor, .init(size))
    }

    deinit {
        close(descriptor)
    }
}
