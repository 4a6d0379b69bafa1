import Glibc
import RingerCore

/// What a process uses, from proc(5).
package struct ProcessUsage: Sendable {
    package let descriptors: Int
    package let threads: Int
    /// Private memory in KiB, what was swapped out included.
    package let memory: Int

    /// - Throws: ``RingerError`` where the process has ended.
    package init(of process: String) throws {
        let ended = RingerError(.system, "look at the process", process, detail: "it has ended")
        func count(_ folder: String) throws -> Int {
            guard let stream = opendir("/proc/\(process)/\(folder)") else {
                throw ended
            }
            defer { closedir(stream) }
            var entries = 0
            while readdir(stream) != nil { entries += 1 }
            return entries - 2
        }
        descriptors = try count("fd")
        threads = try count("task")
        guard let file = fopen("/proc/\(process)/status", "r") else { throw ended }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        var memory: Int?
        while fgets(&line, CInt(line.count), file) != nil {
            let words = line.withUnsafeBytes(Self.text).split { $0.isWhitespace }
            guard ["RssAnon:", "VmSwap:"].contains(words.first), let size = Int(words[1]) else { continue }
            memory = (memory ?? 0) + size
        }
        guard let memory else { throw ended }
        self.memory = memory
    }

    /// How long a process's threads of that name have waited for a processor so far.
    package static func waited(_ thread: String, of process: pid_t) -> Duration {
        let tasks = "/proc/\(process)/task"
        guard let stream = opendir(tasks) else { return .zero }
        defer { closedir(stream) }
        var waited = Duration.zero
        while let entry = readdir(stream) {
            let task = tasks + "/" + withUnsafeBytes(of: entry.pointee.d_name, text)
            guard firstLine(of: task + "/comm") == thread else { continue }
            // Nanoseconds on a processor, nanoseconds of waiting for one, turns.
            let fields = firstLine(of: task + "/schedstat").split(separator: " ")
            if fields.count == 3 { waited += .nanoseconds(Int64(fields[1]) ?? 0) }
        }
        return waited
    }

    private static func firstLine(of path: String) -> String {
        var line = [CChar](repeating: 0, count: 256)
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        fgets(&line, CInt(line.count), file)
        return line.withUnsafeBytes(text)
    }

    /// A string of C, without the end of its line.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
