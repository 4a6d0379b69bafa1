import RingerLinux
import RingerTerminal

extension SoundResult {
    /// The result as JSON.
    var json: JSONValue { .object(members) }

    /// The result's JSON members.
    var members: [(String, JSONValue)] {
        outcome.members + [
            ("elapsed", .number(elapsed.inSeconds)), ("frames", .integer(position.played)),
            ("vibrated", .bool(false)), ("completion", .number((endedAt - requestedAt).inSeconds)),
            ("fallback", .optional(fallback?.reason.rawValue)),
        ]
    }

    /// The result in words.
    var sentence: String { outcome.sentence(after: elapsed) }
}

extension SoundFallback {
    /// The part of a result's sentence that says which sound was played instead, or how much of it was not.
    fileprivate var words: String { (reason == .incomplete ? "; " : "; another sound instead: ") + "\(self)" }

    /// Warns on standard error: JSON has the kind of reason alone.
    func warn() {
        if let error { Terminal.complain("Warning: \(error)") }
    }
}

extension SystemSoundResult {
    /// The result as JSON.
    var json: JSONValue {
        .object(
            outcome.members + [
                ("elapsed", .number(elapsed.inSeconds)), ("frames", .integer(position.played)),
                ("vibrated", .bool(vibrated)), ("completion", .number(completedAfter.inSeconds)),
                ("fallback", .optional(fallback?.reason.rawValue)),
            ])
    }

    /// The result in words.
    var sentence: String {
        outcome.sentence(after: elapsed) + (vibrated ? ", vibrated" : "")
            + (fallback?.words ?? "")
    }
}

extension AlertResult {
    /// The result as JSON.
    var json: JSONValue {
        .object([
            ("outcome", .string(word)), ("by", isOver ? .null : outcome.by), ("elapsed", .number(elapsed.inSeconds)),
            ("rounds", .integer(Int64(rounds))), ("sounded", .bool(sounded)), ("vibrated", .bool(vibrated)),
            ("completion", .number(elapsed.inSeconds)), ("fallback", .optional(fallback?.reason.rawValue)),
            ("soundError", .optional(soundError?.description)),
        ])
    }

    /// The result in words.
    var sentence: String {
        let did =
            switch (sounded, vibrated) {
            case (true, true): "heard and felt"
            case (true, false): "heard"
            case (false, true): "felt"
            case (false, false): "neither heard nor felt"
            }
        return "\(word) after \(elapsed.inSeconds.fixed(3)) s, \(rounds) round\(rounds == 1 ? "" : "s"), \(did)"
            + (soundError.map { "; not heard: \($0)" } ?? "")
            + (fallback?.words ?? "")
    }

    /// Whether its time was over, for which it has a word of its own.
    private var isOver: Bool { outcome == .stopped(.limited) }
    private var word: String { isOver ? "timedOut" : outcome.word }
}

extension SoundOutcome {
    /// "finished", "silenced", "stopped" or "failed".
    var word: String {
        switch self {
        case .finished: "finished"
        case .silenced: "silenced"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }

    /// By whom or what.
    fileprivate var by: JSONValue {
        switch self {
        case .finished: .null
        case .silenced(let reason): .string(reason.rawValue)
        case .stopped(let cause): .string(cause.rawValue)
        case .failed(let error): .string(error.description)
        }
    }

    fileprivate var members: [(String, JSONValue)] { [("outcome", .string(word)), ("by", by)] }

    fileprivate func sentence(after elapsed: Duration) -> String {
        let time = "after \(elapsed.inSeconds.fixed(3)) s"
        return switch self {
        case .finished: "finished \(time)"
        case .silenced(let reason): "silenced by \(reason.rawValue) \(time)"
        case .stopped(let cause): "stopped (\(cause.rawValue)) \(time)"
        case .failed: "failed \(time)"
        }
    }
}
