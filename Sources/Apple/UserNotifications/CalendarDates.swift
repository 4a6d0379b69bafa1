/// The dates of one request with a calendar's trigger, as the wall clock goes and is set.
struct CalendarDates {
    private let trigger: UNCalendarNotificationTrigger
    /// The next one; nil if there is none, or the clock was never set.
    private(set) var next: Date?
    /// From the first to the last that was due.
    private var passed: ClosedRange<Date>?
    /// The wall clock's time when it was looked at last.
    private var seen = Date.distantPast
    private(set) var isClockSet = false

    /// The beginning of 2020: a clock that was never set is before it, in 1970 or where a clock chip begins.
    private static let firstSetDate = Date(timeIntervalSince1970: 1_577_836_800)

    init(_ trigger: UNCalendarNotificationTrigger) { self.trigger = trigger }

    /// Whether there are no more.
    var isOver: Bool { isClockSet && next == nil }

    /// The wall clock is at `now`: by itself, or because it was set or the machine slept.
    ///
    /// - Returns: The date that is due; nil if none is.
    mutating func pass(_ now: Date) -> Date? {
        isClockSet = now >= Self.firstSetDate
        defer { seen = now }
        guard isClockSet else {
            next = nil
            return nil
        }
        if let next, seen <= now, now < next { return nil }
        let due = next.flatMap { $0 <= now ? $0 : nil }
        if let due {
            let first = passed?.lowerBound ?? due
            if due > passed?.upperBound ?? .distantPast { passed = min(first, due)...due }
            if !trigger.repeats {
                next = nil
                return due
            }
        }
        next = trigger.next(after: now)
        // It was set back, and comes to those again.
        if let passed, let again = next, passed.contains(again), passed.upperBound.timeIntervalSince(now) <= 86_400 {
            next = trigger.next(after: passed.upperBound)
        }
        return due
    }
}
