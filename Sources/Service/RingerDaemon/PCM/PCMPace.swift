import RingerCore

/// How often something may happen: so often at once, and then once in each interval.
struct PCMPace {
    /// A program that starts and stops its PCMs for each of 40 sounds a second stays below it.
    static let (burst, interval) = (200, Duration.milliseconds(10))

    /// When all of the burst is there again.
    private var whole = MonotonicTime(nanoseconds: 0)

    /// Of a process that connects for other programs so many packets count as one.
    static let packetsOfOthers = 4

    /// Counts one, or a part of it, at `now`, and returns when the next one may happen.
    mutating func take(_ parts: Int = 1, at now: MonotonicTime) -> MonotonicTime {
        whole = max(whole, now) + Self.interval / parts
        return whole + Self.interval * -(Self.burst - 1)
    }

    /// Whether nothing of the burst is missing.
    func isWhole(at now: MonotonicTime) -> Bool { whole <= now }
}
