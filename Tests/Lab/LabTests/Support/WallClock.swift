import Glibc

/// The kernel's wall clock, which a test sets. It is set back when this is let go of.
final class WallClock {
    private let wall = WallClock.now(CLOCK_REALTIME)
    private let monotonic = WallClock.now(CLOCK_MONOTONIC)

    deinit { try? set(to: wall + WallClock.now(CLOCK_MONOTONIC) - monotonic) }

    /// Sets it to these seconds since 1970.
    func set(to seconds: Int64) throws {
        var time = timespec(tv_sec: .init(seconds), tv_nsec: 0)
        guard clock_settime(CLOCK_REALTIME, &time) == 0 else { throw LabFailure.system("clock_settime") }
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec)
    }
}
