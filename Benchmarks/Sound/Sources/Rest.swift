import Glibc
import RingerLinux

/// How often the sound thread wakes up while nothing plays.
enum Rest {
    /// Plays once, lets the PCM's linger pass, and counts for `seconds`.
    static func wakeUps(seconds: UInt32) async throws -> Int {
        let output = try ALSASoundOutput(pcm: SoundBenchmark.pcm, linger: .milliseconds(100))
        defer { output.close() }
        _ = await SoundBenchmark.play(on: output)
        sleep(1)
        let before = contextSwitches()
        sleep(seconds)
        return contextSwitches() - before
    }

    private static func contextSwitches() -> Int {
        guard let tasks = opendir("/proc/self/task") else { return -1 }
        defer { closedir(tasks) }
        var sum = 0
        while let entry = readdir(tasks) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let lines = read("/proc/self/task/\(name)/status").split(separator: "\n")
            guard lines.contains("Name:\tringer-sound") else { continue }
            for line in lines where line.contains("ctxt_switches:") {
                sum += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
            }
        }
        return sum
    }

    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
