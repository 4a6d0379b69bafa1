/// Amounts in English: 12.50 is "twelve dollars and fifty cents", 1,205 is "one thousand two hundred five dollars".
enum English {
    static let received = Clip(name: "received", text: "received")
    static let lastPayment = Clip(name: "last-payment", text: "last payment")
    static let timeUnknown = Clip(name: "time-unknown", text: "time unknown")
    static let and = Clip(name: "and", text: "and")
    /// 0 to 19.
    static let small = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ].enumerated().map { number, text in Clip(name: "\(number)", text: text) }
    /// 20, 30 to 90.
    static let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"].enumerated().map {
        Clip(name: "\(($0 + 2) * 10)", text: $1)
    }
    static let hundred = Clip(name: "100", text: "hundred")
    static let thousand = Clip(name: "1000", text: "thousand")
    static let million = Clip(name: "1000000", text: "million")

    static var clips: [Clip] {
        var clips = [lastPayment, timeUnknown, received, and] + small + tens + [hundred, thousand, million]
        for currency in Currency.allCases {
            for count in [1, 2] {
                let names = [unit(currency, count)] + (currency.hasHundredths ? [hundredth(currency, count)] : [])
                for clip in names where !clips.contains(clip) { clips.append(clip) }
            }
        }
        return clips
    }

    /// The unit after a number of them.
    static func unit(_ currency: Currency, _ count: Int) -> Clip {
        let (one, several) = (currency.english.unit, currency.english.units)
        return count == 1 && one != several
            ? Clip(name: "\(currency.rawValue)-one", text: one) : Clip(name: currency.rawValue, text: several)
    }

    /// The hundredth of the unit after a number of them.
    static func hundredth(_ currency: Currency, _ count: Int) -> Clip {
        let (one, several) = (currency.english.hundredth, currency.english.hundredths)
        return count == 1 ? Clip(name: one, text: one) : Clip(name: several, text: several)
    }

    static func amount(_ amount: Amount, _ currency: Currency) -> [Clip] {
        let units = number(amount.units) + [unit(currency, amount.units)]
        guard amount.rest > 0 else { return units }
        let rest = number(amount.rest) + [hundredth(currency, amount.rest)]
        return amount.units == 0 ? rest : units + [and] + rest
    }

    /// A whole number below 10^9.
    private static func number(_ number: Int) -> [Clip] {
        var words: [Clip] = []
        for (group, name) in [(number / 1_000_000, [million]), (number / 1000 % 1000, [thousand]), (number % 1000, [])]
        where group > 0 {
            words += self.group(group) + name
        }
        return words.isEmpty ? [small[0]] : words
    }

    /// 1 to 999.
    private static func group(_ group: Int) -> [Clip] {
        var words: [Clip] = []
        if group >= 100 { words += [small[group / 100], hundred] }
        let rest = group % 100
        if rest >= 20 {
            words.append(tens[rest / 10 - 2])
            if rest % 10 > 0 { words.append(small[rest % 10]) }
        } else if rest > 0 {
            words.append(small[rest])
        }
        return words
    }
}
