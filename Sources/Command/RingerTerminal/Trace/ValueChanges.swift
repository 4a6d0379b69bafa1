import RingerCore

/// What a value-change dump holds: its variables, each with its values over time. `ringer-lab` writes such dumps.
///
/// Source: IEEE 1364-2005, clause 18.2; text values are GTKWave's addition.
public struct ValueChanges: Sendable, Hashable {
    /// A variable's value.
    public enum Value: Sendable, Hashable {
        /// Of one bit.
        case level(Bool)
        /// Of several bits, or a real number.
        case number(Double)
        case text(String)
        /// Undriven, or not known.
        case unknown
    }

    /// A new value.
    public struct Change: Sendable, Hashable {
        /// The time since the dump's zero.
        public var at: MonotonicTime
        /// The value from then on.
        public var value: Value

        /// A change to `value` at `time`.
        public init(at time: MonotonicTime, value: Value) {
            at = time
            self.value = value
        }
    }

    /// A variable and its values.
    public struct Variable: Sendable, Hashable {
        /// Its name in its scope.
        public let name: String
        /// Its values, by time; none is followed by an equal one.
        public fileprivate(set) var changes: [Change] = []
        fileprivate let width: Int
        fileprivate let isSigned: Bool

        fileprivate mutating func set(_ value: Value, at time: MonotonicTime) {
            if changes.last?.value != value { changes.append(Change(at: time, value: value)) }
        }
    }

    /// Why a text is no value-change dump.
    public struct Mistake: Error, Hashable, CustomStringConvertible {
        /// The line, from 1.
        public let line: Int
        /// What is wrong there.
        public let reason: String

        /// The line and the reason, in one clause.
        public var description: String { "line \(line): \(reason)" }
    }

    /// The variables in the dump's order.
    public private(set) var variables: [Variable] = []
    /// The dump's last time.
    public private(set) var end = MonotonicTime(nanoseconds: 0)

    /// Reads a dump.
    public init(_ text: String) throws(Mistake) {
        var words = Words(text)
        var places: [Substring: [Int]] = [:]
        let scale = try readDeclarations(&words, &places)
        while let word = words.next() {
            switch word.first {
            case "#":
                guard let count = Int64(word.dropFirst()), let time = scale.nanoseconds(count), time >= end.nanoseconds
                else { throw words.mistake("'\(word.shown)' is not a later time") }
                end = MonotonicTime(nanoseconds: time)
            case "$":
                if word == "$comment" {
                    _ = try words.untilEnd()
                } else if !["$dumpvars", "$dumpall", "$dumpon", "$dumpoff", "$end"].contains(word) {
                    throw words.mistake("'\(word.shown)' is not known among changes")
                }
            case "b", "B", "r", "R", "s", "S":
                guard let name = words.next(), let variables = places[name] else {
                    throw words.mistake("a value of no variable")
                }
                for index in variables { try change(index, to: word, words) }
            default:
                guard let variables = places[word.dropFirst()] else {
                    throw words.mistake("'\(word.shown)' is no change of a variable")
                }
                for index in variables { try change(index, to: "b" + word.prefix(1), words) }
            }
        }
    }

    private mutating func change(_ index: Int, to word: Substring, _ words: Words) throws(Mistake) {
        let digits = word.dropFirst()
        let value: Value
        switch word.first {
        case "s", "S": value = .text(String(digits))
        case "r", "R":
            guard let number = Double(digits), number.isFinite else {
                throw words.mistake("'\(word.shown)' is no real number")
            }
            value = .number(number)
        default:
            guard !digits.isEmpty, digits.allSatisfy({ "01xXzZ".contains($0) }) else {
                throw words.mistake("'\(word.shown)' is no value")
            }
            let variable = variables[index]
            if digits.contains(where: { $0 != "0" && $0 != "1" }) {
                value = .unknown
            } else if variable.width == 1 {
                value = .level(digits.contains("1"))
            } else {
                let number = digits.reduce(0.0) { $0 * 2 + ($1 == "1" ? 1 : 0) }
                let isNegative = variable.isSigned && digits.count == variable.width && digits.first == "1"
                value = .number(isNegative ? number - variable.power : number)
            }
        }
        variables[index].set(value, at: end)
    }

    private mutating func readDeclarations(
        _ words: inout Words, _ places: inout [Substring: [Int]]
    ) throws(Mistake) -> Timescale {
        var scale: Timescale?
        while let word = words.next() {
            switch word {
            case "$timescale":
                scale = Timescale(try words.untilEnd().joined())
                if scale == nil { throw words.mistake("not a time scale") }
            case "$var":
                let parts = try words.untilEnd()
                guard parts.count >= 4, let width = Int(parts[1]), (1...65_536).contains(width) else {
                    throw words.mistake("not a variable's declaration")
                }
                places[parts[2], default: []].append(variables.count)
                let (type, name) = (parts[0], parts[3...].joined(separator: " "))
                variables.append(Variable(name: name, width: type == "real" ? 64 : width, isSigned: type == "integer"))
            case "$enddefinitions":
                _ = try words.untilEnd()
                guard let scale else { throw words.mistake("the dump has no $timescale") }
                return scale
            case "$scope", "$upscope", "$date", "$version", "$comment": _ = try words.untilEnd()
            default: throw words.mistake("'\(word.shown)' begins no value-change dump")
            }
        }
        throw words.mistake("no value-change dump: it has no $enddefinitions")
    }

    /// The unit of a dump's times.
    private struct Timescale {
        private let multiplier: Int64
        private let divisor: Int64

        /// From a number and a unit, like `10us`.
        init?(_ text: String) {
            let digits = text.prefix { $0.isNumber }
            let units: [Substring: (Int64, Int64)] = [
                "s": (1_000_000_000, 1), "ms": (1_000_000, 1), "us": (1000, 1), "ns": (1, 1), "ps": (1, 1000),
                "fs": (1, 1_000_000),
            ]
            guard let count = Int64(digits), [1, 10, 100].contains(count),
                let unit = units[text.dropFirst(digits.count)]
            else { return nil }
            multiplier = count * unit.0
            divisor = unit.1
        }

        /// A time of the dump; nil if it is out of range.
        func nanoseconds(_ count: Int64) -> Int64? {
            let (product, isTooLarge) = count.multipliedReportingOverflow(by: multiplier)
            return isTooLarge || count < 0 ? nil : product / divisor
        }
    }

    /// The words of a text, with their lines.
    private struct Words {
        private var words: [(text: Substring, line: Int)] = []
        private var index = 0

        init(_ text: String) {
            for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                words += line.split(whereSeparator: \.isWhitespace).map { ($0, number + 1) }
            }
        }

        mutating func next() -> Substring? {
            guard index < words.count else { return nil }
            index += 1
            return words[index - 1].text
        }

        /// The words before the next `$end`.
        mutating func untilEnd() throws(Mistake) -> [Substring] {
            var section: [Substring] = []
            while let word = next() {
                if word == "$end" { return section }
                section.append(word)
            }
            throw mistake("$end is missing")
        }

        /// A mistake in the word that was read last.
        func mistake(_ reason: String) -> Mistake {
            Mistake(line: index > 0 ? words[index - 1].line : 1, reason: reason)
        }
    }
}

extension ValueChanges.Variable {
    /// One more than the largest value.
    fileprivate var power: Double { (0..<width).reduce(1.0) { power, _ in power * 2 } }
}

extension Substring {
    /// The word as a message shows it: what is no dump may be one long word.
    fileprivate var shown: String { count > 24 ? prefix(24) + "..." : String(self) }
}
