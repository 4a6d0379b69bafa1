import Ringer

/// What lines of the output are made of. Callers and registrars choose names and reasons: none is printed without
/// ``quoted(_:)`` or ``printable(_:)``.
enum Line {
    static func json(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// Seconds on the kernel's monotonic clock.
    static func seconds(_ time: MonotonicTime) -> String { seconds(Duration.nanoseconds(time.nanoseconds)) }

    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let digits = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// A string of JSON, without control characters.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.isControl:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// The text for people: nothing of it moves the cursor or forges a line.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? "?" : $0 }))
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
