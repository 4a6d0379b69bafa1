import Glibc
import RingerLinux

/// Writes a file.
func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw LabFailure.system("open", path) }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw LabFailure.system("write", path) }
}

/// The bytes of a file.
func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw LabFailure.system("fopen", path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
    return bytes
}

/// Writes a sound as a WAV file of 16-bit samples.
func write(_ sound: PCMBuffer, to path: String) throws {
    try write(
        try SoundFiles.encode(
            sound, container: .wave,
            codec: .linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))), to: path)
}
