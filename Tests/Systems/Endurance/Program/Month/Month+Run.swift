import CEndurance

extension Month {
    /// Lets a month pass in virtual time, and returns what to print, and whether every payment was heard once and whole, the
    /// motor turned for as long as its patterns say, and allocated memory is flat: its least at the last ten midnights is less
    /// than 256 KiB above that at the first ten.
    static func run() throws -> (text: String, isRight: Bool) {
        let month = try Month()
        var memory: [Int] = []
        try month.pass { _ in memory.append(endurance_heap()) }
        // The newest recordings are kept with their samples: how much that is differs from midnight to midnight.
        let growth = (memory.suffix(10).min() ?? .max) - (memory.prefix(10).min() ?? 0)
        let (counts, isFlat) = (month.counts, growth < 256 * 1024)
        let text = """
            a month: \(month.heard) of \(Schedule.payments) payments heard once; \(counts.cutOff) times one was cut off before; \
            \(counts.flips) flips, \(counts.unplugs) unplugged switches, \(counts.interruptions) interruptions, \
            \(counts.restarts) restarts, \(counts.vibrations) vibrations, the motor turned for \(month.motor.turned) of \
            \(month.motor.expected); heap \(growth): \(month.findings.isEmpty && isFlat ? "ok" : "FAILED")
            """
        return ((month.findings + [text]).joined(separator: "\n"), month.findings.isEmpty && isFlat)
    }
}
