import Glibc
import Ringer

/// A file that has no name any more: its descriptor is the only way to it.
final class PrivateFile {
    let descriptor: CInt

    init(_ bytes: [UInt8]) throws {
        var path = Array("/tmp/ringer-sound-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        unlink(path)
        guard bytes.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            throw RingerError(.system, "write", "temporary file")
        }
    }

    /// A sound file that takes a while to decode, the longer the sound is.
    convenience init(seconds: Double) throws {
        let sound = PCMBuffer(
            sampleRate: 48_000, channels: 2, samples: [Int16](repeating: 1, count: Int(seconds * 96_000)))
        try self.init(
            try SoundFiles.encode(
                sound, container: .wave,
                codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 3, byteOrder: .little))))
    }

    func truncate(to size: Int) {
        ftruncate(descriptor, size)
    }

    deinit {
        close(descriptor)
    }
}
