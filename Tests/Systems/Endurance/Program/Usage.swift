import CEndurance
import Glibc
import ServiceSupport
import Synchronization

/// What the process uses that must not grow.
struct Usage {
    /// The deepest stack of a callback since ``Depth/restart()``, and allocated memory, in bytes.
    var stack = 0, heap = 0
    var descriptors = 0, threads = 0
    /// What inotify watches.
    var watches = 0
    /// The private memory of the service, in bytes.
    var service = 0

    private static let serviceProcess = Atomic<pid_t>(0)

    /// Counts what this process uses, too: the service's.
    static func count(_ process: pid_t) { serviceProcess.store(process, ordering: .relaxed) }

    static func now() throws -> Usage {
        let (process, other) = (try ProcessUsage(of: "self"), serviceProcess.load(ordering: .relaxed))
        let service = other == 0 ? nil : try ProcessUsage(of: "\(other)")
        return Usage(
            stack: Depth.deepest, heap: endurance_heap(),
            descriptors: process.descriptors + (service?.descriptors ?? 0),
            threads: process.threads + (service?.threads ?? 0), watches: watchCount(),
            service: (service?.memory ?? 0) * 1024)
    }

    /// What growth counts as none. The smallest allocation has 32 bytes: 1,000 rounds that keep one each are found. Of the
    /// service's memory, the kernel shows whole pages, and malloc keeps more of them than are allocated.
    static let limits = Usage(stack: 256, heap: 24_576, service: 256 * 1024)

    static var measures: [(name: String, path: KeyPath<Usage, Int>)] {
        [
            ("stack", \.stack), ("heap", \.heap), ("descriptors", \.descriptors), ("threads", \.threads),
            ("watches", \.watches), ("service", \.service),
        ]
    }

    /// The measures that have grown since `before`.
    func grown(since before: Usage) -> [String] {
        Self.measures.filter { self[keyPath: $0.path] - before[keyPath: $0.path] > Self.limits[keyPath: $0.path] }
            .map(\.name)
    }

    func hasShrunk(since before: Usage) -> Bool {
        Self.measures.contains { self[keyPath: $0.path] < before[keyPath: $0.path] }
    }

    /// Source: proc(5), /proc/pid/fdinfo.
    private static func watchCount() -> Int {
        guard let folder = opendir("/proc/self/fdinfo") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let file = fopen("/proc/self/fdinfo/" + name, "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, CInt(line.count), file) != nil {
                if strncmp(line, "inotify wd:", 11) == 0 { count += 1 }
            }
        }
        return count
    }
}

/// How deep the stacks of callbacks are. Any thread.
enum Depth {
    private static let value = Atomic<Int>(0)

    /// Called in each callback.
    static func note() { value.max(endurance_stack_depth(), ordering: .relaxed) }

    static var deepest: Int { value.load(ordering: .relaxed) }

    /// Forgets the deepest one.
    static func restart() { value.store(0, ordering: .relaxed) }
}
