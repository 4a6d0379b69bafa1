/// Tells from readings of the clocks whether the machine has slept between them.
///
/// How much one clock is ahead of the other is known to within the time that a reading takes. Only where two readings
/// cannot both hold of one difference has the machine slept: a thread that was held up in between is no sleep.
struct SleepDetector: Sendable {
    /// What the difference is, as far as the readings since the last sleep tell.
    private var difference: ClosedRange<Int64>

    /// A detector that knows of no sleep before `reading`.
    init(_ reading: ClockReading) {
        difference = Self.difference(reading)
    }

    /// Takes in a reading.
    ///
    /// - Returns: How long the machine has slept at least since the last one; nil where it has not.
    mutating func slept(until reading: ClockReading) -> Duration? {
        let new = Self.difference(reading)
        if new.lowerBound > difference.upperBound {
            let length = new.lowerBound - difference.upperBound
            difference = new
            return .nanoseconds(length)
        }
        // Both hold, so what they have in common does; were the clock ever set back, the newer one would.
        difference = new.overlaps(difference) ? new.clamped(to: difference) : new
        return nil
    }

    private static func difference(_ reading: ClockReading) -> ClosedRange<Int64> {
        let low = reading.sinceBoot - max(reading.before, reading.after)
        return low...(reading.sinceBoot - min(reading.before, reading.after))
    }
}
