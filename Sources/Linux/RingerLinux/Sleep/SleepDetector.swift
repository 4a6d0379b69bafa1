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
