import Ringer

/// Who may ring: callers that are known, and so many strangers in a time. A pure value.
struct CallerScreen: Sendable {
    /// How many strangers may ring within how long, all of them together: their names and addresses can be forged.
    struct StrangerLimit: Sendable, Hashable {
        var calls: Int
        var period: Duration
    }

    struct Rules: Sendable, Hashable {
        var known: [KnownCaller] = []
        /// Nil: strangers may not ring where callers are known, and everybody may where none is.
        var strangers: StrangerLimit?
    }

    enum Verdict: Sendable, Hashable {
        case admitted
        case forbidden
        /// Too many strangers have rung; another one may after so long.
        case tooMany(retryAfter: Duration)
    }

    private let rules: Rules
    /// When strangers rang, within the period.
    private var strangers: [MonotonicTime] = []

    init(rules: Rules) {
        self.rules = rules
    }

    /// Judges a caller, and counts it if it may ring as a stranger.
    mutating func judge(_ caller: Caller, at now: MonotonicTime) -> Verdict {
        if rules.known.contains(where: { $0.matches(caller) }) { return .admitted }
        guard let limit = rules.strangers else { return rules.known.isEmpty ? .admitted : .forbidden }
        strangers.removeAll { now - $0 >= limit.period }
        if strangers.count >= limit.calls, let first = strangers.first {
            return .tooMany(retryAfter: limit.period - (now - first))
        }
        strangers.append(now)
        return .admitted
    }
}
