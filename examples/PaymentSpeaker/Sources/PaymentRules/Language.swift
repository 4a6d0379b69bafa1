/// The language of the announcements: what is said, and in which order, by the rules of a file that a translator writes.
public struct Language: Sendable {
    /// The name of the language, and of its folder.
    public let name: String
    /// Every clip that the language needs, in the order of the file.
    public private(set) var clips: [Clip] = []

    private var clipsByName: [String: Clip] = [:]
    private var numbers = NumberRules()
    private var sentences: [Sentence: [Word]] = [:]
    private var forms = ["other"]
    private var currencies: [String: (unit: [String], subunit: [String])] = [:]

    /// The lines of the file that say an order of words.
    enum Sentence: String, CaseIterable {
        case announcement
        /// An amount without decimals, one with, and one of decimals alone.
        case amount
        case amountWithMinor = "amount-with-minor"
        case amountOfMinor = "amount-of-minor"
    }

    enum Word: Sendable, Equatable {
        case clip(String)
        case amount
        case unit, subunit
        /// The whole units, the minor units, or each decimal, by a set of rules.
        case units(String)
        case minor(String)
        case decimals(String)
    }

    /// Reads the rules of a language.
    ///
    /// - Throws: ``RuleFault`` with the line.
    public init(_ text: String, name: String) throws(RuleFault) {
        self.name = name
        var set: String?
        // As editors of other systems write them: with a byte order mark, and a carriage return at the end of each line.
        let text = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            do throws(RuleFault) {
                try read(line, &set)
            } catch {
                throw RuleFault(error.reason, line: index + 1)
            }
        }
        for sentence in [Sentence.announcement, .amount] where sentences[sentence] == nil {
            throw RuleFault("the line \(sentence.rawValue): is missing")
        }
        for preface in Preface.allCases where clipsByName[preface.rawValue] == nil {
            throw RuleFault("the clip \(preface.rawValue) is missing")
        }
    }

    /// Reads a line; `set` is the set of rules that it may belong to.
    private mutating func read(_ line: Substring, _ set: inout String?) throws(RuleFault) {
        let line = line.prefix { $0 != "#" }
        let words = line.split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return }
        let rest = words.count > 1 ? words[1] : ""
        guard first.last == ":" else {
            set = nil
            switch first {
            case "clip": return try readClip(rest)
            case "currency": return try readCurrency(rest.split(separator: " ").map(String.init))
            default: throw RuleFault("\(first) is none of clip, currency, %SET:, NUMBER: and an order of words")
            }
        }
        let key = first.dropLast()
        if key.first == "%" {
            let name = String(key.dropFirst())
            guard numbers.sets[name] == nil else { throw RuleFault("there are two sets %\(name)") }
            set = name
            numbers.sets[name] = []
        } else if let base = Int64(key) {
            guard let set, let rules = numbers.sets[set] else { throw RuleFault("a rule belongs to a set: %SET:") }
            guard base >= 0, base > rules.last?.base ?? -1 else {
                throw RuleFault("the rules of a set have growing bases")
            }
            numbers.sets[set]?.append(.init(base: base, parts: try NumberRules.parts(rest, in: set)))
        } else if key == "forms" {
            forms = rest.split(separator: " ").map(String.init)
        } else if let sentence = Sentence(rawValue: String(key)) {
            let words = try Self.words(rest)
            // An amount within an amount would have no end, and an announcement without one says nothing.
            guard words.contains(.amount) == (sentence == .announcement) else {
                throw RuleFault("{amount} belongs to the line announcement:, and to no other")
            }
            guard sentences.updateValue(words, forKey: sentence) == nil else {
                throw RuleFault("there are two lines \(key):")
            }
        } else {
            throw RuleFault("\(key): is unknown")
        }
    }

    private mutating func readClip(_ text: Substring) throws(RuleFault) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, !words[0].contains("/"), words[0].first != "." else {
            throw RuleFault("clip NAME TEXT")
        }
        let clip = Clip(name: String(words[0]), text: String(words[1].reversed().drop { $0 == " " }.reversed()))
        guard clipsByName.updateValue(clip, forKey: clip.name) == nil else {
            throw RuleFault("there are two clips \(clip.name)")
        }
        clips.append(clip)
    }

    private mutating func readCurrency(_ words: [String]) throws(RuleFault) {
        guard let code = words.first, let currency = Currency(code) else { throw RuleFault("no code of ISO 4217") }
        let parts = words.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
            Array.init)
        for names in parts where names.count != 1 && names.count != forms.count {
            throw RuleFault(
                "a unit has one name, or one for each of the forms before this line: \(forms.joined(separator: " "))")
        }
        guard currency.decimals > 0 || parts.count == 1 else { throw RuleFault("\(code) has no minor unit") }
        guard currencies[code] == nil else { throw RuleFault("there are two currencies \(code)") }
        currencies[code] = (parts[0], parts.count > 1 ? parts[1] : [])
    }

    private static func words(_ text: Substring) throws(RuleFault) -> [Word] {
        var words: [Word] = []
        var rest = text
        while let start = rest.firstIndex(where: { $0 != " " }) {
            rest = rest[start...]
            guard rest.first == "{" else {
                let name = rest.prefix { $0 != " " }
                words.append(.clip(String(name)))
                rest = rest.dropFirst(name.count)
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { throw RuleFault("{ without }") }
            let inner = rest[rest.index(after: rest.startIndex)..<end].split(separator: " ")
            rest = rest[rest.index(after: end)...]
            let set = inner.count == 2 && inner[1].first == "%" ? String(inner[1].dropFirst()) : nil
            switch (inner.first, set) {
            case ("amount", nil): words.append(.amount)
            case ("unit", nil): words.append(.unit)
            case ("subunit", nil): words.append(.subunit)
            case ("units", let set?): words.append(.units(set))
            case ("minor", let set?): words.append(.minor(set))
            case ("decimals", let set?): words.append(.decimals(set))
            default:
                throw RuleFault("{...} is amount, unit, subunit, units %SET, minor %SET or decimals %SET")
            }
        }
        return words
    }

    /// The currencies that the language can name, by their codes.
    public var currencyCodes: [String] { currencies.keys.sorted() }

    /// The clips that announce a payment, in order.
    ///
    /// - Parameter prefaces: What is said before it.
    /// - Throws: ``RuleFault`` if the language cannot say it: it does not know the currency, or has no rule for the number.
    public func announcement(of amount: Amount, _ prefaces: [Preface] = []) throws(RuleFault) -> [Clip] {
        var clips: [Clip] = []
        for name in prefaces.map(\.rawValue) + (try names(.announcement, amount)) {
            guard let clip = clipsByName[name] else { throw RuleFault("there is no clip \(name)") }
            clips.append(clip)
        }
        return clips
    }

    private func names(_ sentence: Sentence, _ amount: Amount) throws(RuleFault) -> [String] {
        guard let currency = currencies[amount.currency.code] else {
            throw RuleFault("the language \(name) has no currency \(amount.currency.code)")
        }
        guard let words = sentences[sentence] else { throw RuleFault("the line \(sentence.rawValue): is missing") }
        var names: [String] = []
        for word in words {
            switch word {
            case .clip(let name): names.append(name)
            case .amount: names += try self.names(self.sentence(amount), amount)
            case .unit: names.append(try form(currency.unit, of: amount.units))
            case .subunit: names.append(try form(currency.subunit, of: amount.rest))
            case .units(let set): names += try numbers.words(amount.units, by: set)
            case .minor(let set): names += try numbers.words(amount.rest, by: set)
            case .decimals(let set):
                for digit in amount.decimals { names += try numbers.words(digit, by: set) }
            }
        }
        return names
    }

    private func sentence(_ amount: Amount) -> Sentence {
        if amount.rest == 0 { return .amount }
        return amount.units == 0 && sentences[.amountOfMinor] != nil ? .amountOfMinor : .amountWithMinor
    }

    /// The name of a unit after a number of them: in the form that the set %form says.
    private func form(_ names: [String], of count: Int64) throws(RuleFault) -> String {
        if names.count == 1 { return names[0] }
        if names.isEmpty { throw RuleFault("the minor unit has no name") }
        let form = try numbers.words(count, by: "form").first
        guard let index = forms.firstIndex(where: { $0 == form }), index < names.count else {
            throw RuleFault("%form says none of the forms for \(count)")
        }
        return names[index]
    }

    /// What is wrong with the language, as far as announcements of many amounts in all of its currencies show, and whether
    /// it can tell amounts apart.
    public func fault() -> RuleFault? {
        if let missing = namedClips.subtracting(clipsByName.keys).min() {
            return RuleFault("there is no clip \(missing)")
        }
        let ends = (0..<9).flatMap { exponent in
            let power: Int64 = (0..<exponent).reduce(1) { power, _ in power * 10 }
            return (1...9).flatMap { [$0 * power - 1, $0 * power, $0 * power + 1] }
        }
        var numbers = Array(0...1200) + ends + [12_345_678, 120_003_004, 999_999_999]
        numbers.append(contentsOf: (1...300).map { $0 * 3_316_193 })
        // Where each rule begins.
        let bases = self.numbers.sets.values.joined().map(\.base).filter { $0 < Amount.largest }
        numbers.append(contentsOf: bases.flatMap { [$0 - 1, $0, $0 + 1] })
        do throws(RuleFault) {
            for code in currencyCodes {
                guard let currency = Currency(code) else { continue }
                var spoken: [String: Int64] = [:]
                let scale: Int64 = (0..<currency.decimals).reduce(1) { scale, _ in scale * 10 }
                let minor = scale == 1 ? [] : Array(1..<scale) + [scale + 5, 1250, 120_050]
                for amount in Set(numbers.map { $0 * scale } + minor).sorted() {
                    guard let value = Amount(minorUnits: amount, currency) else { continue }
                    let clips = try announcement(of: value, Preface.allCases)
                    let text = clips.map(\.text).joined(separator: " ")
                    if let other = spoken.updateValue(amount, forKey: text), other != amount {
                        throw RuleFault("\(code): two amounts are spoken alike, \(other) and \(amount) in minor units")
                    }
                }
            }
            return currencies.isEmpty ? RuleFault("there is no currency") : nil
        } catch {
            return error
        }
    }

    /// The names of the clips that the rules, the orders of words and the currencies use.
    private var namedClips: Set<String> {
        var names = Set(currencies.values.flatMap { $0.unit + $0.subunit })
        var sets: Set<String> = []
        for word in sentences.values.joined() {
            switch word {
            case .clip(let name): names.insert(name)
            case .units(let set), .minor(let set), .decimals(let set): sets.insert(set)
            case .amount, .unit, .subunit: break
            }
        }
        return names.union(numbers.clips(of: sets))
    }
}

/// What may be said before an announcement: the names of clips.
public enum Preface: String, Sendable, Hashable, CaseIterable {
    /// It may have been heard before: it is not another payment.
    case lastPayment = "last-payment"
    /// It waited for a clock that was not set: it may be old.
    case timeUnknown = "time-unknown"
}

/// A recorded piece of an announcement.
public struct Clip: Sendable, Hashable {
    /// The name of its file, without the directory and the suffix.
    public let name: String
    /// What is spoken in it.
    public let text: String
}
