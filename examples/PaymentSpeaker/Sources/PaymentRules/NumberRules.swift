/// The rules that spell whole numbers, after the rule-based number format of ICU (RBNF): sets of rules, each rule for the
/// numbers from its base on.
struct NumberRules: Sendable {
    /// A piece of what a rule says.
    indirect enum Part: Sendable {
        /// A clip, by its name.
        case clip(String)
        /// How often the divisor is in the number, by a set: `<<`, `<%set<`.
        case quotient(String)
        /// What is left over, by a set: `>>`, `>%set>`.
        case remainder(String)
        /// The number itself, by another set: `=%set=`.
        case same(String)
        /// What is said only if something is left over: `[ ... ]`.
        case ifRemainder([Part])
    }

    struct Rule: Sendable {
        var base: Int64
        var parts: [Part]

        /// The largest power of ten that is not above the base.
        var divisor: Int64 {
            var divisor: Int64 = 1
            while divisor <= base / 10 { divisor *= 10 }
            return divisor
        }
    }

    /// The rules of each set, by growing bases.
    var sets: [String: [Rule]] = [:]

    /// How many parts may spell one number: nine digits need a few each. Rules that refer to each other in a circle, or that
    /// double what they say again and again, need more.
    private static let most = 500
    /// How deep rules may refer to rules: a thread that speaks amounts may have a small stack.
    private static let deepest = 32

    /// The names of the clips that spell a number.
    func words(_ number: Int64, by set: String) throws(RuleFault) -> [String] {
        var left = Self.most
        return try words(number, by: set, &left, depth: 0)
    }

    private func words(
        _ number: Int64, by set: String, _ left: inout Int, depth: Int
    ) throws(RuleFault) -> [String] {
        guard let rules = sets[set] else { throw RuleFault("there is no set of rules %\(set)") }
        guard let rule = rules.last(where: { $0.base <= number }) else {
            throw RuleFault("%\(set) has no rule for \(number)")
        }
        left -= 1 + rule.parts.count
        guard left > 0, depth < Self.deepest else { throw RuleFault("%\(set) comes to no end for \(number)") }
        return try words(rule.parts, number, rule.divisor, &left, depth: depth + 1)
    }

    private func words(
        _ parts: [Part], _ number: Int64, _ divisor: Int64, _ left: inout Int, depth: Int
    ) throws(RuleFault) -> [String] {
        var words: [String] = []
        for part in parts {
            switch part {
            case .clip(let name): words.append(name)
            case .quotient(let set): words += try self.words(number / divisor, by: set, &left, depth: depth)
            case .remainder(let set): words += try self.words(number % divisor, by: set, &left, depth: depth)
            case .same(let set): words += try self.words(number, by: set, &left, depth: depth)
            case .ifRemainder(let parts):
                if number % divisor > 0 { words += try self.words(parts, number, divisor, &left, depth: depth) }
            }
        }
        return words
    }

    /// The names of all clips that rules of some sets say, and those of the sets that they refer to.
    func clips(of first: Set<String>) -> Set<String> {
        var names: Set<String> = []
        var (seen, waiting) = (first, Array(first))
        while let set = waiting.popLast() {
            var parts = (sets[set] ?? []).flatMap(\.parts)
            while let part = parts.popLast() {
                switch part {
                case .clip(let name): names.insert(name)
                case .quotient(let set), .remainder(let set), .same(let set):
                    if seen.insert(set).inserted { waiting.append(set) }
                case .ifRemainder(let inner): parts += inner
                }
            }
        }
        return names
    }

    /// Reads the parts of a rule, which blanks separate.
    ///
    /// - Parameter set: The set that the rule is in.
    static func parts(_ text: Substring, in set: String) throws(RuleFault) -> [Part] {
        var stack: [[Part]] = [[]]
        for word in text.split(separator: " ") {
            switch word {
            case "[":
                guard stack.count == 1 else { throw RuleFault("[ within [ ]") }
                stack.append([])
            case "]":
                guard stack.count > 1 else { throw RuleFault("] without [") }
                let inner = stack.removeLast()
                stack[stack.count - 1].append(.ifRemainder(inner))
            case "<<": stack[stack.count - 1].append(.quotient(set))
            case ">>": stack[stack.count - 1].append(.remainder(set))
            default: stack[stack.count - 1].append(try part(word))
            }
        }
        guard stack.count == 1 else { throw RuleFault("[ without ]") }
        return stack[0]
    }

    private static func part(_ word: Substring) throws(RuleFault) -> Part {
        guard let mark = word.first, "<>=".contains(mark) else { return .clip(String(word)) }
        let name = String(word.dropFirst(2).dropLast())
        guard word.count > 3, word.last == mark, word.dropFirst().first == "%" else {
            throw RuleFault("\(word) is none of << >> <%SET< >%SET> =%SET=")
        }
        return mark == "<" ? .quotient(name) : mark == ">" ? .remainder(name) : .same(name)
    }
}

/// What is wrong with the rules of a language.
public struct RuleFault: Error, Sendable, Hashable {
    /// The fault, for people.
    public var reason: String
    /// The line; nil if it is none of one line.
    public var line: Int?

    init(_ reason: String, line: Int? = nil) {
        (self.reason, self.line) = (reason, line)
    }
}
