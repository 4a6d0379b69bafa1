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
        var base: Int
        var parts: [Part]

        /// The largest power of ten that is not above the base.
        var divisor: Int {
            var divisor = 1
            while divisor <= base / 10 { divisor *= 10 }
            return divisor
        }
    }

    /// The rules of each set, by growing bases.
    var sets: [String: [Rule]] = [:]

    /// The names of the clips that spell a number.
    func words(_ number: Int, by set: String, depth: Int = 0) throws(RuleFault) -> [String] {
        guard let rules = sets[set] else { throw RuleFault("there is no set of rules %\(set)") }
        guard let rule = rules.last(where: { $0.base <= number }) else {
            throw RuleFault("%\(set) has no rule for \(number)")
        }
        // 12 digits need no more than a few turns for each.
        guard depth < 100 else { throw RuleFault("%\(set) comes to no end for \(number)") }
        return try words(rule.parts, number, rule.divisor, depth)
    }

    private func words(_ parts: [Part], _ number: Int, _ divisor: Int, _ depth: Int) throws(RuleFault) -> [String] {
        var words: [String] = []
        for part in parts {
            switch part {
            case .clip(let name): words.append(name)
            case .quotient(let set): words += try self.words(number / divisor, by: set, depth: depth + 1)
            case .remainder(let set): words += try self.words(number % divisor, by: set, depth: depth + 1)
            case .same(let set): words += try self.words(number, by: set, depth: depth + 1)
            case .ifRemainder(let parts):
                if number % divisor > 0 { words += try self.words(parts, number, divisor, depth) }
            }
        }
        return words
    }

    /// Reads the parts of a rule, which blanks separate.
    ///
    /// - Parameter set: The set that the rule is in.
    static func parts(_ text: Substring, in set: String) throws(RuleFault) -> [Part] {
        var stack: [[Part]] = [[]]
        for word in text.split(separator: " ") {
            switch word {
            case "[": stack.append([])
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
