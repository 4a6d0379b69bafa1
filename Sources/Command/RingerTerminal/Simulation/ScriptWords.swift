/// A mistake in a line of a script, in words.
package struct ScriptMistake: Error {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The words of one line of a script, taken from left to right.
///
/// Words are separated by blanks. Quotes hold a word that contains blanks; a word that begins with # begins a comment.
struct ScriptWords {
    private var words: ArraySlice<String> = []
    /// The line without its comment, for people.
    let text: String

    init(_ line: some StringProtocol) throws(ScriptMistake) {
        var all: [String] = []
        var word: String?
        var isQuoted = false
        var end = line.startIndex
        for index in line.indices {
            let character = line[index]
            if character == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if isQuoted {
                word?.append(character)
            } else if character == "#" && word == nil {
                break
            } else if character == " " || character == "\t" || character == "\r" {
                if let finished = word { all.append(finished) }
                word = nil
                continue
            } else {
                word = (word ?? "") + String(character)
            }
            end = line.index(after: index)
        }
        if isQuoted { throw ScriptMistake("a quote (\") is not closed.") }
        if let word { all.append(word) }
        words = all[...]
        text = String(line[..<end].drop { $0 == " " || $0 == "\t" })
    }

    /// Whether every word was taken.
    var isEmpty: Bool { words.isEmpty }
    /// The word that is taken next; nil after the last.
    var next: String? { words.first }
    /// The words that are left, for people.
    var rest: String { words.joined(separator: " ") }

    /// Takes the next word; nil after the last.
    mutating func take() -> String? { words.popFirst() }

    /// Takes all words that are left.
    mutating func takeRest() -> String {
        defer { words = [] }
        return rest
    }

    /// Takes the next word if it is `word`.
    mutating func take(_ word: String) -> Bool {
        guard words.first == word else { return false }
        words.removeFirst()
        return true
    }

    /// Takes the next word, converted by `read`.
    ///
    /// - Parameter what: What is expected, for the mistake: "a category: ambient, soloAmbient, ...".
    mutating func take<Value>(_ what: String, _ read: (String) -> Value?) throws(ScriptMistake) -> Value {
        guard let word = words.first else { throw ScriptMistake("expected \(what).") }
        guard let value = read(word) else { throw ScriptMistake("\"\(word)\" is not \(what).") }
        words.removeFirst()
        return value
    }

    /// Takes a time: "20 ms", "1.5 s", "2 min"; a number alone is in seconds.
    mutating func takeTime(atMost longest: Duration = .seconds(1_000 * 3_600)) throws(ScriptMistake) -> Duration {
        let what = "a time, such as 20 ms, 1.5 s, 2 min or 1 h"
        guard let word = words.first else { throw ScriptMistake("expected \(what).") }
        let digits = word.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        var unit = String(word.dropFirst(digits.count))
        guard let number = Double(digits) else { throw ScriptMistake("\"\(word)\" is not \(what).") }
        words.removeFirst()
        if unit.isEmpty, let next = words.first, Self.units[next] != nil {
            unit = next
            words.removeFirst()
        }
        guard let nanoseconds = Self.units[unit.isEmpty ? "s" : unit] else {
            throw ScriptMistake("\"\(word)\" is not \(what).")
        }
        // Rounded: 0.29 s are 290,000,000 ns, though no binary fraction is.
        let product = (number * nanoseconds).rounded()
        guard product <= Double(longest.nanoseconds) else {
            throw ScriptMistake("\"\(word)\(word.hasSuffix(unit) ? "" : " " + unit)\" is longer than \(longest.words).")
        }
        return .nanoseconds(Int64(product))
    }

    /// Takes a number from 0 to 1.
    mutating func takeShare() throws(ScriptMistake) -> Float {
        try take("a number from 0 to 1") { word in
            guard let number = Float(word), number >= 0, number <= 1 else { return nil }
            return number
        }
    }

    /// Takes one of two words; true for the first.
    mutating func takeEither(_ yes: String, _ no: String) throws(ScriptMistake) -> Bool {
        try take("\"\(yes)\" or \"\(no)\"") { $0 == yes ? true : $0 == no ? false : nil }
    }

    /// Makes sure that no word is left.
    func finish() throws(ScriptMistake) {
        if !isEmpty { throw ScriptMistake("\"\(rest)\" does not belong there.") }
    }

    /// The units of time, in nanoseconds.
    private static let units: [String: Double] = [
        "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3_600e9, "second": 1e9, "seconds": 1e9, "minute": 60e9,
        "minutes": 60e9, "hour": 3_600e9, "hours": 3_600e9, "milliseconds": 1e6, "microseconds": 1e3,
    ]
}

extension Duration {
    /// The time as a script says it: "20 ms", "1.5 s".
    var words: String {
        let seconds = inSeconds
        if seconds == 0 { return "0 s" }
        if seconds < 0.001 { return "\((seconds * 1e6).shortest) us" }
        if seconds < 1 { return "\((seconds * 1e3).shortest) ms" }
        return seconds < 3_600 ? "\(seconds.shortest) s" : "\((seconds / 3_600).shortest) h"
    }
}

extension Double {
    /// The number with up to six digits behind the point, without zeros at its end.
    fileprivate var shortest: String {
        var text = Substring(fixed(6))
        while text.hasSuffix("0") { text = text.dropLast() }
        return String(text.hasSuffix(".") ? text.dropLast() : text)
    }
}
