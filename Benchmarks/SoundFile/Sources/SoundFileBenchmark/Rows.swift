/// Times by name, and their targets.
struct Rows {
    private var names: [String] = []
    private var times: [String: [Double]] = [:]
    private(set) var missed = false

    mutating func time(_ name: String, _ body: () throws -> Void) throws {
        // Twice beforehand, so that every contestant finds its input as near as it can be.
        try body()
        try body()
        let clock = ContinuousClock()
        let elapsed = try clock.measure(body)
        add(name, Double(elapsed.components.attoseconds) * 1e-18 + Double(elapsed.components.seconds))
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
