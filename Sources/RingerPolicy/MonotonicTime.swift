/// An instant of the kernel's monotonic clock, in whole nanoseconds.
///
/// Hardware events carry one; durations are differences of two. It never steps with the wall clock and does not count
/// the time the device was suspended. The corresponding kernel clock is `CLOCK_MONOTONIC`.
public struct MonotonicTime: Sendable, Hashable, Comparable, InstantProtocol {
    /// Nanoseconds since an arbitrary moment before the system's start.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the clock's origin.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant `seconds` and `nanoseconds` after the clock's origin, as `struct timespec` tells it.
    public init(seconds: Int, nanoseconds: Int) {
        self.nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(nanoseconds)
    }

    /// The instant in seconds, for people and for JSON.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The instant `duration` later.
    public func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds + duration.nanoseconds)
    }

    /// How long after this instant `other` is; negative when it is before.
    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// Whether `left` is before `right`.
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` after `time`.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime { time.advanced(by: duration) }

    /// How long after `right` `left` is; negative when it is before.
    public static func - (left: MonotonicTime, right: MonotonicTime) -> Duration { right.duration(to: left) }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero and held at the limits of `Int64` (292 years).
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds, for people and for JSON.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
