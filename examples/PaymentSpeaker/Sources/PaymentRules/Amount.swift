/// An amount of money of a currency, below a thousand million of its units. On every processor it has 64 bits: 32 hold less.
public struct Amount: Sendable, Hashable {
    /// The largest number of whole units.
    public static let largest: Int64 = 999_999_999

    /// The currency.
    public let currency: Currency
    /// The amount in the currency's minor units: fen, cents; of a currency without decimals, in its units.
    public let minorUnits: Int64

    /// How many minor units a unit has: 1, 100 or 1000.
    private var scale: Int64 { Self.scale(currency) }
    private static func scale(_ currency: Currency) -> Int64 {
        (0..<currency.decimals).reduce(1) { scale, _ in scale * 10 }
    }

    /// The whole units.
    public var units: Int64 { minorUnits / scale }
    /// What is left over, in minor units.
    public var rest: Int64 { minorUnits % scale }
    /// The digits of what is left over, without zeros at the end: 5 of 12.50, 0 and 5 of 12.05.
    public var decimals: [Int64] {
        var digits: [Int64] = []
        var (left, place) = (rest, scale / 10)
        while left > 0 {
            digits.append(left / place)
            (left, place) = (left % place, place / 10)
        }
        return digits
    }

    /// The amount of so many minor units; nil if it is negative or above ``largest``.
    public init?(minorUnits: Int64, _ currency: Currency) {
        let scale = Self.scale(currency)
        guard minorUnits >= 0, minorUnits / scale <= Self.largest else { return nil }
        (self.minorUnits, self.currency) = (minorUnits, currency)
    }

    /// The amount that a notice states: digits, then perhaps a point and as many decimals as the currency has, or fewer.
    /// Signs, spaces, separators of thousands and leading zeros are not allowed, so that one amount is not taken for another.
    public init?(_ text: String, _ currency: Currency) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...2).contains(parts.count), (1...9).contains(whole.count),
            let units = Self.number(whole), whole.count == 1 || whole.first != UInt8(ascii: "0")
        else { return nil }
        var rest: Int64 = 0
        if parts.count == 2 {
            guard !parts[1].isEmpty, parts[1].count <= currency.decimals, let digits = Self.number(parts[1]) else {
                return nil
            }
            rest = (parts[1].count..<currency.decimals).reduce(digits) { rest, _ in rest * 10 }
        }
        self.init(minorUnits: units * Self.scale(currency) + rest, currency)
    }

    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

extension Amount: CustomStringConvertible {
    /// The amount as a notice states it, with all decimals of the currency: `12.50`.
    public var description: String {
        guard currency.decimals > 0 else { return "\(units)" }
        let rest = String(rest)
        return "\(units)." + String(repeating: "0", count: currency.decimals - rest.utf8.count) + rest
    }
}
