import Ringer

/// Text in lines of the form `KEY = VALUE`; `#` begins a comment.
enum SettingLines {
    /// Passes each key and value to `set`, which returns whether there is such a key.
    ///
    /// - Parameters:
    ///   - text: The lines.
    ///   - path: The file's name in errors.
    ///   - operation: What is being done, in errors.
    ///   - set: Takes a value; throws where it is wrong.
    /// - Throws: ``RingerError`` naming the file and the line.
    static func read(
        _ text: String, path: String, operation: String,
        _ set: (_ key: String, _ value: String) throws(RingerError) -> Bool
    ) throws(RingerError) {
        var keys: Set<String> = []
        // A carriage return and the line feed after it are one character.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let content = line.prefix { $0 != "#" }.trimmed
            if content.isEmpty { continue }
            func refuse(_ detail: String) -> RingerError {
                RingerError(.invalid, operation, "\(path), line \(index + 1)", detail: detail)
            }
            let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw refuse("\"\(content)\" is not of the form KEY = VALUE") }
            let (key, value) = (parts[0].trimmed, parts[1].trimmed)
            guard keys.insert(key).inserted else { throw refuse("\(key) is set a second time") }
            let isKnown: Bool
            do throws(RingerError) {
                isKnown = try set(key, value)
            } catch {
                throw refuse("\(error)")
            }
            guard isKnown else { throw refuse("there is no key \"\(key)\"") }
        }
    }

    /// The words of a list, which blanks or commas separate.
    static func words(_ value: String) -> [String] { value.split { $0 == " " || $0 == "," }.map(String.init) }

    /// `yes` or `no`.
    static func boolean(_ key: String, _ value: String) throws(RingerError) -> Bool {
        guard value == "yes" || value == "no" else { throw refuse(key, value, "yes or no") }
        return value == "yes"
    }

    /// A number in `range`.
    static func number(
        _ key: String, _ value: String, in range: ClosedRange<Double>, _ what: String = "a number"
    ) throws(RingerError) -> Double {
        guard let number = Double(value), range.contains(number) else {
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            throw refuse(key, value, "\(what) from \(low) to \(high)")
        }
        return number
    }

    /// The error for a value that is not what a key takes.
    static func refuse(_ key: String, _ value: String, _ expected: String) -> RingerError {
        RingerError(.invalid, "use \"\(value)\"", key, detail: "expected \(expected)")
    }
}

extension Substring {
    /// The text without the blanks at both ends.
    fileprivate var trimmed: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
