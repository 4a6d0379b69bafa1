import Glibc

/// Times, and how they are printed.
enum Stopwatch {
    /// What `clock` shows, in nanoseconds.
    static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The microseconds that the fraction `share` of all do not exceed.
    static func percentile(_ share: Double, _ durations: [Int64]) -> Int64 {
        durations.sorted()[min(durations.count - 1, Int(Double(durations.count) * share))] / 1_000
    }

    /// The text with spaces behind it, or, for a negative width, in front of it.
    static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? spaces + text : text + spaces
    }
}
