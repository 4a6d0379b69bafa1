import RingerCore

/// Text in lines of the form `KEY = VALUE`; `#` begins a comment.
///
/// It is read byte by byte: characters need tables of Unicode, which would stay in a service's memory.
package enum SettingLines {
    /// Passes each key and value to `set`, which returns whether there is such a key.
    ///
    /// - Parameters:
    ///   - text: The lines.
    ///   - path: The file's name in errors.
    ///   - operation: What is being done, in errors.
    ///   - unknown: Takes the error of a key that there is not; throws it unless told otherwise.
    ///   - set: Takes a value; throws where it is wrong.
    /// - Throws: ``RingerError`` naming the file and the line.
    package static func read(
        _ text: String, path: String, operation: String,
        unknown: (RingerError) throws(RingerError) -> Void = { error throws(RingerError) in throw error },
        _ set: (_ key: String, _ value: String) throws(RingerError) -> Bool
    ) throws(RingerError) {
        var keys: Set<String> = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let content = line.prefix { $0 != UInt8(ascii: "#") }.trimmed
            if content.isEmpty { continue }
            func refuse(_ detail: String) -> RingerError {
                RingerError(.invalid, operation, "\(path), line \(index + 1)", detail: detail)
            }
            let parts = content.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw refuse("\"\(content)\" is not of the form KEY = VALUE") }
            let (key, value) = (parts[0].trimmed, parts[1].trimmed)
            guard keys.insert(key).inserted else { throw refuse("\(key) is set a second time") }
            let isKnown: Bool
            do throws(RingerError) {
                isKnown = try set(key, value)
            } catch {
                throw refuse("\(error)")
            }
            if !isKnown { try unknown(refuse("there is no key \"\(key)\"")) }
        }
    }

    /// The text of the file at `path`.
    ///
    /// - Throws: ``RingerError``; `invalid` where it is larger than 1 MiB or not UTF-8.
    package static func text(of path: String) throws(RingerError) -> String {
        try TextFile.read(path)
    }

    /// The words of a list, which blanks or commas separate.
    package static func words(_ value: String) -> [String] {
        value.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }.map { String(Substring($0)) }
    }

    /// `yes` or `no`.
    package static func boolean(_ key: String, _ value: String) throws(RingerError) -> Bool {
        guard value == "yes" || value == "no" else { throw refuse(key, value, "yes or no") }
        return value == "yes"
    }

    /// A number in `range`.
    package static func number(
        _ key: String, _ value: String, in range: ClosedRange<Double>, _ what: String = "a number"
    ) throws(RingerError) -> Double {
        guard let number = Double(value), range.contains(number) else {
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            throw refuse(key, value, "\(what) from \(low) to \(high)")
        }
        return number
    }

    /// The error for a value that is not what a key takes.
    package static func refuse(_ key: String, _ value: String, _ expected: String) -> RingerError {
        RingerError(.invalid, "use \"\(value)\"", key, detail: "expected \(expected)")
    }
}

extension Substring.UTF8View {
    /// The text without the blanks at both ends; the carriage return before a line feed is one.
    fileprivate var trimmed: String {
        let isBlank = { (byte: UInt8) in [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte) }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(Substring(self[first...last]))
    }
}
