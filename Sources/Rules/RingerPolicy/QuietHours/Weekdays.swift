/// A set of weekdays.
public struct Weekdays: OptionSet, Sendable, Hashable {
    /// The bits, Monday's first.
    public let rawValue: UInt8

    /// The set of these bits; those of no weekday are dropped.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue & 0x7F
    }

    /// Monday.
    public static let monday = Weekdays(rawValue: 1)
    /// Tuesday.
    public static let tuesday = Weekdays(rawValue: 2)
    /// Wednesday.
    public static let wednesday = Weekdays(rawValue: 4)
    /// Thursday.
    public static let thursday = Weekdays(rawValue: 8)
    /// Friday.
    public static let friday = Weekdays(rawValue: 16)
    /// Saturday.
    public static let saturday = Weekdays(rawValue: 32)
    /// Sunday.
    public static let sunday = Weekdays(rawValue: 64)
    /// All seven.
    public static let daily = Weekdays(rawValue: 127)

    static let names = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    /// Whether it has a weekday, counted from Monday, 0, and on over the ends of the week.
    func contains(_ number: Int) -> Bool { rawValue >> UInt8((number + 7) % 7) & 1 == 1 }

    /// The days `first` to `last`, counted from Monday, 0, over the end of the week where `last` is before `first`.
    init(from first: Int, through last: Int) {
        var bits: UInt8 = 0
        for number in first...(last < first ? last + 7 : last) { bits |= 1 << UInt8(number % 7) }
        self.init(rawValue: bits)
    }
}

extension Weekdays: CustomStringConvertible {
    /// As systemd's calendar events write weekdays: `Mon..Fri`, `Sat,Sun`, `Mon,Wed..Fri`; over the end of the week
    /// `Sat..Mon`; `daily` for all.
    public var description: String {
        if self == .daily { return "daily" }
        var parts: [String] = []
        for first in 0..<7 where contains(first) && !contains(first - 1) {
            var last = first
            while contains(last + 1) { last += 1 }
            let (begin, end) = (Self.name(first), Self.name(last % 7))
            parts.append(last == first ? begin : last == first + 1 ? "\(begin),\(end)" : "\(begin)..\(end)")
        }
        return parts.joined(separator: ",")
    }

    private static func name(_ number: Int) -> String { String(Substring(names[number].utf8.prefix(3))) }
}
