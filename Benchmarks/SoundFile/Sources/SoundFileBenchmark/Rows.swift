import Foundation

/// Times by name, and their targets. They are the thread's processor time: other programs that run do not count.
struct Rows {
    private var names: [String] = []
    private var times: [String: [Double]] = [:]
    private(set) var missed = false

    mutating func time(_ name: String, _ body: () throws -> Void) throws {
        // Twice beforehand, so that every contestant finds its input as near as it can be.
        try body()
        try body()
        let start = Self.now
        try body()
        add(name, Self.now - start)
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// The first processor's name and numbers.
    static var processor: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let keys = ["model name", "cpu family", "model", "CPU implementer", "CPU part"]
        let lines = text.prefix(upTo: text.range(of: "\n\n")?.lowerBound ?? text.endIndex).split(separator: "\n")
        let pairs = lines.map { $0.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) } }
        return pairs.filter { $0.count == 2 && keys.contains($0[0]) }.map { "\($0[0]) \($0[1])" }
            .joined(separator: ", ")
    }

    mutating func add(_ name: String, _ seconds: Double) {
        if times[name] == nil { names.append(name) }
        times[name, default: []].append(seconds)
    }

    func median(_ name: String) -> Double {
        let sorted = (times[name] ?? [.nan]).sorted()
        return sorted[sorted.count / 2]
    }

    func print(megabytes: Double) {
        for name in names {
            let seconds = median(name)
            let speed = String(Int(megabytes / seconds))
            Swift.print("\(pad(name, 44)) \(pad(String(Int(seconds * 1e6)), -9)) us \(pad(speed, -8)) MB/s")
        }
    }

    mutating func goal(_ name: String, _ other: String, over ours: String, atLeast least: Double) {
        let ratio = median(other) / median(ours)
        let isReached = ratio >= least
        if !isReached { missed = true }
        let rounded = String((ratio * 100).rounded() / 100)
        Swift.print("\(pad(name, 44)) \(pad(rounded, -9)) x, at least \(least): \(isReached ? "reached" : "MISSED")")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        let fill = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width > 0 ? text + fill : fill + text
    }
}
