import Glibc
import RingerPolicy

extension MonotonicTime {
    /// The instant now. The corresponding C function is `clock_gettime`, with `CLOCK_MONOTONIC`.
    public static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(time)
    }

    /// The instant of a kernel stamp.
    public init(_ time: timespec) {
        self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// The instant of a kernel stamp in microseconds, as input events have it.
    public init(_ time: timeval) {
        self.init(seconds: time.tv_sec, nanoseconds: Int(time.tv_usec) * 1000)
    }
}
