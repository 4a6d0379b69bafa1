import Glibc
import Ringer
import SystemPackage

/// What registered sounds take of memory and descriptors.
enum Memory {
    /// All predefined sounds' files registered, then every one of them decoded once.
    static func measure() throws {
        let files = try Files()
        let bench = try Bench(pcm: "null")
        defer { bench.device.close() }
        let paths = try PredefinedSound.all.map { sound in
            let samples = PredefinedSounds(directories: []).samples(of: sound) ?? .silence(duration: .zero)
            return try files.write("\(sound.id).caf", samples)
        }
        let before = try resident()
        let ids = try paths.map { try bench.device.sounds.register($0) }
        let registered = try resident()
        for id in ids { try bench.device.sounds.prepare(id) }
        let decoded = try resident()
        for sound in PredefinedSound.all { try bench.device.sounds.prepare(SystemSoundID(rawValue: sound.id)) }
        print(
            "memory: \(before) KiB resident before (the files having been synthesised), \(registered) with 125 files registered,",
            "\(decoded) with each decoded once, \(try resident()) with each predefined one synthesised too;",
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
