import Glibc
import RingerLinux
import SystemPackage

/// A folder of sound files of every container and codec, and of a damaged one.
final class SoundFolder: Sendable {
    let path: String
    let names: [String]
    let damaged = "damaged.wav"

    init() throws {
        path = "/tmp/ringer-endurance-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        guard mkdir(path, 0o700) == 0 else { throw RingerError("make the folder", path, Errno(rawValue: errno)) }
        let linear = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little))
        let big = SoundCodec.linearPCM(LinearPCM(.signedInteger, bytesPerSample: 3, byteOrder: .big))
        let kinds: [(String, SoundContainer, SoundCodec)] = [
            ("wav", .wave, linear), ("aiff", .aiff, big), ("caf", .caf, linear), ("ima.caf", .caf, .ima4),
            ("ima.wav", .wave, .imaADPCM), ("ulaw.wav", .wave, .uLaw), ("alaw.caf", .caf, .aLaw),
            ("ulaw.aifc", .aifc, .uLaw), ("ima.aifc", .aifc, .ima4),
        ]
        // Ringer does not write the others.
        let foreign = [
            ("mp3", "libmp3lame"), ("flac", "flac"), ("vorbis.oga", "libvorbis"), ("opus.oga", "libopus"),
        ]
        names = (kinds.map(\.0) + foreign.map(\.0)).enumerated().map { "\($0).\($1)" }
        for (index, (_, container, codec)) in kinds.enumerated() {
            try write(
                SoundFiles.encode(Variations.sounds[index], container: container, codec: codec), to: names[index])
        }
        for (name, (_, codec)) in zip(names.dropFirst(kinds.count), foreign) {
            let made = path + "/" + name
            try require(
                system("ffmpeg -v error -i '\(path)/0.wav' -c:a \(codec) '\(made)' </dev/null") == 0,
                "ffmpeg did not write \(made)")
        }
        try write(Array("RIFF and nothing behind it".utf8), to: damaged)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = try FileDescriptor.open(
            FilePath(path + "/" + name), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    /// The path of the file of a round; one of all is damaged, and another missing.
    func file(round number: Int) -> String {
        path + "/" + (names + [damaged, "missing.wav"])[round: number]
    }

    deinit {
        for name in names + [damaged] { unlink(path + "/" + name) }
        rmdir(path)
    }
}
