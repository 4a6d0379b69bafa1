import Glibc
import RingerPolicy

extension MonotonicTime {
    /// The current time. The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC`.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(time)
    }

    /// The time of a kernel timestamp.
    public init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// The time of a kernel timestamp in microseconds, as input events have it.
    public init(_ time: timeval) {
        // So many microseconds as no kernel reports do not fit as nanoseconds.
        self = MonotonicTime(seconds: Int64(time.tv_sec), nanoseconds: 0) + .microseconds(Int64(time.tv_usec))
    }
}
