import Glibc
import Ringer

/// What a process uses, from proc(5).
package struct ProcessUsage: Sendable {
    package let descriptors: Int
    package let threads: Int
    /// Private memory in KiB.
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
        while memory == nil, fgets(&line, CInt(line.count), file) != nil {
            let text = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let words = text.split { $0.isWhitespace }
            if words.first == "RssAnon:" { memory = Int(words[1]) }
        }
        guard let memory else { throw ended }
        self.memory = memory
    }
}
