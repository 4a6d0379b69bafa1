/// An amount of money, from 0.00 to 999,999,999.99.
public struct Amount: Sendable, Hashable {
    /// The largest amount, in hundredths.
    public static let largest = 99_999_999_999

    /// The amount in hundredths of the currency's unit.
    public let hundredths: Int

    /// The whole units.
    public var units: Int { hundredths / 100 }
    /// What is left over, 0 to 99 hundredths.
    public var rest: Int { hundredths % 100 }

    /// The amount of so many hundredths; nil if it is negative or above ``largest``.
    public init?(hundredths: Int) {
        guard (0...Self.largest).contains(hundredths) else { return nil }
        self.hundredths = hundredths
    }

    /// The amount that a notice states: digits, then perhaps a point and one or two digits. Signs, spaces, separators of
    /// thousands and leading zeros are not allowed, so that one amount is not taken for another.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...2).contains(parts.count), (1...9).contains(whole.count),
            let units = Self.number(whole), whole.count == 1 || whole.first != UInt8(ascii: "0")
        else { return nil }
        var rest = 0
        if parts.count == 2 {
            guard (1...2).contains(parts[1].count), let digits = Self.number(parts[1]) else { return nil }
            rest = parts[1].count == 1 ? digits * 10 : digits
        }
        self.init(hundredths: units * 100 + rest)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

extension Amount: CustomStringConvertible {
    /// The amount as a notice states it, with two decimals: `12.50`.
    public var description: String { "\(units).\(rest < 10 ? "0" : "")\(rest)" }
}
