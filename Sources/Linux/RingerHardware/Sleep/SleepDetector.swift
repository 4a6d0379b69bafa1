import CLinux
import RingerCore

/// Decides from two readings of the clocks whether the machine slept between them.
///
/// The difference of the two clocks is known only to within the duration of a reading. The machine slept if no single
/// difference fits both readings; a thread that was merely held up between them does not count as sleep.
struct SleepDetector: Sendable {
    /// The range of the difference in nanoseconds that fits all readings since the last sleep.
    private var difference: ClosedRange<Int64>

    /// A detector that starts at `reading`.
    init(_ reading: ClockReading) {
        difference = Self.difference(reading)
    }

    /// Takes in a reading.
    ///
    /// - Returns: The least duration that the machine slept since the last reading; nil if it did not sleep.
    mutating func slept(until reading: ClockReading) -> Duration? {
        let new = Self.difference(reading)
        if new.lowerBound > difference.upperBound {
            let length = new.lowerBound - difference.upperBound
            difference = new
            return .nanoseconds(length)
        }
        // The difference lies in both ranges. They are disjoint only if a clock was set back: keep the newer one.
        difference = new.overlaps(difference) ? new.clamped(to: difference) : new
        return nil
    }

    private static func difference(_ reading: ClockReading) -> ClosedRange<Int64> {
        let low = reading.sinceBoot - max(reading.before, reading.after)
        return low...(reading.sinceBoot - min(reading.before, reading.after))
    }
}

/// One reading of the two clocks that differ by the time that the machine slept.
struct ClockReading: Sendable, Hashable {
    /// The monotonic clock, before and after the other one was read, in nanoseconds; it stops during sleep.
    var before: Int64
    var after: Int64
    /// The boot-time clock, in nanoseconds; it continues during sleep.
    var sinceBoot: Int64

    /// The clocks now. The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC` and `CLOCK_BOOTTIME`.
    static var now: ClockReading {
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
