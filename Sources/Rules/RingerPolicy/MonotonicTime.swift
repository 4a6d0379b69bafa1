/// A time of the kernel's monotonic clock, in whole nanoseconds.
///
/// Hardware events carry such times, and durations are their differences. The clock is not affected by setting the
/// system's clock, and does not run while the system is suspended. The corresponding kernel clock is `CLOCK_MONOTONIC`.
public struct MonotonicTime: Sendable, Hashable, Comparable, InstantProtocol {
    /// Nanoseconds since an arbitrary moment before the system's start.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the clock's origin.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant `seconds` and `nanoseconds` after the clock's origin, as `struct timespec` has them.
    public init(seconds: Int64, nanoseconds: Int64) {
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = product.addingReportingOverflow(nanoseconds)
        // Rarely needed, and slow: a duration has 128 bits.
        self.nanoseconds =
            isTooLarge || overflows ? (Duration.seconds(seconds) + .nanoseconds(nanoseconds)).nanoseconds : sum
    }

    /// The instant in seconds, for people and for JSON.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The time `duration` later, clamped to the limits of `Int64`, so that an alert without an end has a deadline too.
    public func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return MonotonicTime(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// How long after this instant `other` is; negative when it is before.
    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
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
    /// The duration in whole nanoseconds, rounded towards zero and clamped to the limits of `Int64` (292 years).
    package var nanoseconds: Int64 {
        // Compare first: the components of a duration beyond Int64.max seconds overflow.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        // Both components have the duration's sign, so no intermediate sum overflows.
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in whole milliseconds, rounded towards zero.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// The duration in seconds, for people and for JSON.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
