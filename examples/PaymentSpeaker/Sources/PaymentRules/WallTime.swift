/// An instant of the civil calendar, in microseconds since 1970-01-01T00:00:00Z.
public struct WallTime: Sendable, Hashable, Comparable {
    /// The microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// An instant.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The instant that `text` states according to RFC 3339, such as `2026-11-22T10:15:30.25+08:00`; nil if it states none.
    /// A leap second counts as the first second of the next minute; digits beyond microseconds are dropped.
    public init?(rfc3339 text: String) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), scanner.skip("Tt "), let hour = scanner.number(2), scanner.skip(":"),
            let minute = scanner.number(2), scanner.skip(":"), let second = scanner.number(2),
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var fraction = 0
        if scanner.skip(".") {
            guard let digits = scanner.fraction() else { return nil }
            fraction = digits
        }
        var offset = 0
        if !scanner.skip("Zz") {
            let sign = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
            guard sign != 0, let hours = scanner.number(2), scanner.skip(":"), let minutes = scanner.number(2),
                hours < 24, minutes < 60
            else { return nil }
            offset = sign * (hours * 60 + minutes) * 60
        }
        guard scanner.rest.isEmpty else { return nil }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        microseconds = Int64(seconds) * 1_000_000 + Int64(fraction)
    }

    /// Whether `left` is before `right`.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The time that passed from `other` to this instant.
    public func duration(since other: WallTime) -> Duration { .microseconds(microseconds - other.microseconds) }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// The days from 1970-01-01 to a day of the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        /// The days of the years 1 to `last`.
        func daysOfYears(_ last: Int) -> Int { last * 365 + last / 4 - last / 100 + last / 400 }
        let before = (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
        // Year 0 has 366 days, which integer division does not count.
        let years = year > 0 ? daysOfYears(year - 1) : -366
        return years - daysOfYears(1969) + before + day - 1
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ characters: StaticString) -> Bool {
            guard let first = rest.first, String(describing: characters).utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digit() -> Int? {
            guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
            rest.removeFirst()
            return Int(first - UInt8(ascii: "0"))
        }

        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// The microseconds of a fraction of one digit or more.
        mutating func fraction() -> Int? {
            guard var microseconds = digit() else { return nil }
            for _ in 0..<5 { microseconds = microseconds * 10 + (digit() ?? 0) }
            while digit() != nil {}
            return microseconds
        }
    }
}
