import CLinux
import RingerServices

/// One look at the two clocks that differ by how long the machine has slept.
struct ClockReading: Sendable, Hashable {
    /// The monotonic clock before and after the other one was read, in nanoseconds; it stands still in sleep.
    var before: Int64
    var after: Int64
    /// The clock that goes on in sleep, in nanoseconds.
    var sinceBoot: Int64

    /// The clocks now. The corresponding C function is `clock_gettime`, with `CLOCK_MONOTONIC` and `CLOCK_BOOTTIME`.
    static var now: ClockReading {
        let before = MonotonicTime.now.nanoseconds
        let sinceBoot = ringer_time_since_boot()
        return ClockReading(before: before, after: MonotonicTime.now.nanoseconds, sinceBoot: sinceBoot)
    }
}
