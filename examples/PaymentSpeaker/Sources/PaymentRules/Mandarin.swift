/// Amounts in Mandarin as payment speakers say them: 12.50 is 十二点五元.
///
/// Numbers are in groups of four digits (亿, 万). One 零 stands for any zeros inside a number, none for zeros at the end of
/// a group. 10 to 19 are 十 to 十九 at the beginning, 一十 to 一十九 after other digits. Two is 两 as a whole amount (两元)
/// and where the number begins with it before 千, 万 or 亿; else it is 二. Decimals are read digit by digit, without a
/// zero at the end.
enum Mandarin {
    static let received = Clip(name: "received", text: "收款")
    static let lastPayment = Clip(name: "last-payment", text: "上一笔")
    static let timeUnknown = Clip(name: "time-unknown", text: "时间未知")
    static let point = Clip(name: "point", text: "点")
    static let liang = Clip(name: "liang", text: "两")
    static let digits = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"].enumerated().map { number, text in
        Clip(name: "\(number)", text: text)
    }
    static let ten = Clip(name: "10", text: "十")
    static let hundred = Clip(name: "100", text: "百")
    static let thousand = Clip(name: "1000", text: "千")
    static let tenThousand = Clip(name: "10000", text: "万")
    static let hundredMillion = Clip(name: "100000000", text: "亿")

    static var clips: [Clip] {
        [lastPayment, timeUnknown, received, point, liang] + digits + [
            ten, hundred, thousand, tenThousand, hundredMillion,
        ]
            + Currency.allCases.map(unit)
    }

    static func unit(_ currency: Currency) -> Clip { Clip(name: currency.rawValue, text: currency.mandarin) }

    static func amount(_ amount: Amount, _ currency: Currency) -> [Clip] {
        let unit = [unit(currency)]
        guard amount.rest > 0 else { return (amount.units == 2 ? [liang] : number(amount.units)) + unit }
        let (tenths, hundredths) = (amount.rest / 10, amount.rest % 10)
        let decimals = hundredths == 0 ? [digits[tenths]] : [digits[tenths], digits[hundredths]]
        return number(amount.units) + [point] + decimals + unit
    }

    /// A whole number below 10^12.
    private static func number(_ number: Int) -> [Clip] {
        var words: [Clip] = []
        var isZeroPending = false
        let groups = [
            (number / 100_000_000, [hundredMillion]), (number / 10_000 % 10_000, [tenThousand]), (number % 10_000, []),
        ]
        for (group, name) in groups {
            guard group > 0 else {
                isZeroPending = !words.isEmpty
                continue
            }
            if !words.isEmpty && (isZeroPending || group < 1000) { words.append(digits[0]) }
            isZeroPending = false
            // 两万, 两亿: the whole group is two, and the number begins with it.
            words += words.isEmpty && group == 2 && !name.isEmpty ? [liang] : self.group(group, begins: words.isEmpty)
            words += name
        }
        return words.isEmpty ? [digits[0]] : words
    }

    /// A group of four digits, 1 to 9,999; `begins` says whether the number begins with it.
    private static func group(_ group: Int, begins: Bool) -> [Clip] {
        var words: [Clip] = []
        var isZeroPending = false
        for (place, name) in [(1000, [thousand]), (100, [hundred]), (10, [ten]), (1, [])] {
            let digit = group / place % 10
            guard digit > 0 else {
                isZeroPending = !words.isEmpty
                continue
            }
            if isZeroPending { words.append(digits[0]) }
            isZeroPending = false
            let isFirst = begins && words.isEmpty
            if isFirst && place == 1000 && digit == 2 {
                words.append(liang)
            } else if !(isFirst && place == 10 && digit == 1) {
                words.append(digits[digit])
            }
            words += name
        }
        return words
    }
}
