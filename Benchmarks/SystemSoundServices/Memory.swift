import SystemSounds
import Glibc
import Ringer
import SystemPackage

/// What registered sounds take of memory and descriptors.
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

    static func churn(times: Int) throws {
        let files = try Files()
        let bench = try Bench(pcm: "null")
        defer { bench.device.close() }
        let path = try files.write("churn.caf", .silence(duration: .milliseconds(50)))
        for _ in 0..<1000 { try bench.device.sounds.dispose(try bench.device.sounds.register(path)) }
        let before = (try resident(), try descriptors())
        for _ in 0..<times { try bench.device.sounds.dispose(try bench.device.sounds.register(path)) }
        let after = (try resident(), try descriptors())
        print(
            "churn: \(times) times registered and disposed of: \(before.0) KiB and \(before.1) descriptors before,",
            "\(after.0) KiB and \(after.1) after")
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

    private static func descriptors() throws -> Int {
        guard let stream = opendir("/proc/self/fd") else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }
}
