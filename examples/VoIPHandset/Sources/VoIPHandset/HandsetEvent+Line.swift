import Ringer

extension HandsetEvent {
    /// The event as a JSON object. Times are seconds on the kernel's monotonic clock.
    var json: String {
        var members = [
            ("call", Self.quoted(call)), ("event", Self.quoted(kind.rawValue)), ("sound", "\(sound)"),
            ("motor", "\(motor)"), ("at", Self.seconds(Duration.nanoseconds(at.nanoseconds))),
        ]
        if let peer { members.append(("from", Self.quoted(peer))) }
        if let reason { members.append(("reason", Self.quoted(reason))) }
        if let heard { members.append(("heard", Self.seconds(heard))) }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// The event for people.
    var sentence: String {
        var sentence = "\(call): \(kind.rawValue)"
        if sound { sentence += ", heard" }
        if motor { sentence += ", felt" }
        if let peer { sentence += ", from \(peer)" }
        if let reason { sentence += ", \(reason)" }
        if let heard { sentence += ", the caller was heard for \(Self.seconds(heard)) s" }
        // A caller chooses its names: nothing of them reaches the terminal.
        return String(String.UnicodeScalarView(sentence.unicodeScalars.map { $0.isControl ? "?" : $0 }))
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let digits = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func quoted(_ text: String) -> String {
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
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
