import SystemSounds
import Glibc
import RingerLinux
import SystemPackage

/// The memory of registered sounds.
enum Memory {
    /// The files in `directory` registered, and then every one of them decoded once.
    static func files(in directory: String) throws {
        let bench = try Bench(pcm: "null")
        defer { bench.device.close() }
        let before = try resident()
        let ids = try PredefinedSound.all.compactMap { sound in
            try sound.filePhone.map { try bench.device.sounds.register(directory + "/" + $0) }
        }
        let registered = try resident()
        for id in ids { try bench.device.sounds.prepare(id) }
        print(
            "files: \(before) KiB resident before, \(registered) with \(ids.count) files registered,",
            "\(try resident()) with each decoded once; \(bench.device.sounds.cachedBytes / 1024) KiB of samples kept")
    }

    /// Every predefined sound synthesised once.
    static func predefined() throws {
        let bench = try Bench(pcm: "null")
        defer { bench.device.close() }
        let before = try resident()
        for sound in PredefinedSound.all { try bench.device.sounds.prepare(SystemSoundID(rawValue: sound.id)) }
        print(
            "predefined: \(before) KiB resident before, \(try resident()) with all 125 synthesised once;",
            "\(bench.device.sounds.cachedBytes / 1024) KiB of samples kept")
    }

    /// Resident memory in KiB. Source: proc(5), /proc/self/statm.
    private static func resident() throws -> Int {
        let file = try FileDescriptor.open("/proc/self/statm", .readOnly)
        let text = try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE)) / 1024
    }
}
