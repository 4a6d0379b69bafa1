import CLinux

/// One reading of the two clocks that differ by the time that the machine slept.
package struct ClockReading: Sendable, Hashable {
    /// The monotonic clock, before and after the other one was read, in nanoseconds; it stops during sleep.
    package var before: Int64
    package var after: Int64
    /// The boot-time clock, in nanoseconds; it continues during sleep.
    package var sinceBoot: Int64

    /// A reading of these times, in nanoseconds.
    package init(before: Int64, after: Int64, sinceBoot: Int64) {
        (self.before, self.after, self.sinceBoot) = (before, after, sinceBoot)
    }

    /// The clocks now. The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC` and `CLOCK_BOOTTIME`.
    package static var now: ClockReading {
        let before = MonotonicTime.now.nanoseconds
        let sinceBoot = ringer_time_since_boot()
        return ClockReading(before: before, after: MonotonicTime.now.nanoseconds, sinceBoot: sinceBoot)
    }

    /// The clocks now, from the fastest of a few readings: a thread may be held up in the middle of one.
    static func exact() -> ClockReading {
        var best = now
        for _ in 0..<8 where best.after - best.before > 1_000_000 {
            let reading = now
            if reading.after - reading.before < best.after - best.before { best = reading }
        }
        return best
    }

    /// The least difference of the two clocks that fits the reading.
    var leastDifference: Duration { .nanoseconds(max(0, sinceBoot - max(before, after))) }
}
