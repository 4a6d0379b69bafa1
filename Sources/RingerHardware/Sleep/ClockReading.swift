import CLinux
import RingerServices

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
}
