import RingerCore

extension MuteReading {
    /// The reading as JSON.
    package var json: JSONValue {
        .object([
            ("verdict", .string(verdict.rawValue)), ("way", .string(way.rawValue)),
            ("elapsed", .number(elapsed.inSeconds)),
            ("threshold", .number(threshold.inSeconds)), ("cause", .optional(cause?.description)),
            ("margin", .number(margin.inSeconds)), ("route", .string(route.rawValue)),
            ("ringSilent", .optional(switchPosition?.rawValue)), ("disagrees", .bool(disagreesWithSwitch)),
            ("attempts", .integer(Int64(attempts))),
        ])
    }

    /// The reading in words.
    package var sentence: String {
        var text = verdict.rawValue
        if let cause {
            text += " (\(cause))"
        } else {
            text += " after \(elapsed.inSeconds.fixed(4)) s, threshold \(threshold.inSeconds.fixed(1)) s"
        }
        text += ", by the \(way == .none ? "output alone" : way == .pcm ? "PCM" : way.rawValue)"
        if disagreesWithSwitch, let switchPosition { text += "; the switch is at \(switchPosition.rawValue)" }
        return text
    }
}
