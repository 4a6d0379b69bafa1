import PaymentRules

/// What became of a notice or a command: a line of `--json`, and a message of the result topic.
struct Report: Sendable, Hashable {
    enum Outcome: String, Sendable {
        case announced, silenced, vibrated, stale, duplicate, refused, obeyed
    }

    /// The transaction; nil where the notice could not be read.
    var transaction: String?
    /// The provider on whose topic it came; nil for the speaker's own.
    var provider: String?
    var outcome: Outcome
    /// Whether the announcement is heard again because the first one was cut off.
    var isRepeated = false
    /// Whether somebody asked for it: for the last one again, or for one that was silenced.
    var isRequested = false
    /// The time from the notice's arrival to the first frame of the sound, in seconds; nil if there was none.
    var firstFrame: Double?
    /// Why it was not announced.
    var reason: String?
    /// The state in the ledger of the transaction that a duplicate repeats.
    var recorded: String?
    var amount: Amount?
    /// The name and the `jti` of a signed command; nil for a notice.
    var command: String?
    var identifier: String?

    /// The object on one line.
    var json: String {
        JSONObject([
            "transaction": .optional(transaction), "outcome": .string(outcome.rawValue), "repeated": .bool(isRepeated),
            "requested": .bool(isRequested), "firstFrame": firstFrame.map(JSONObject.Value.real) ?? .null,
            "reason": .optional(reason), "recorded": .optional(recorded), "amount": .optional(amount?.description),
            "currency": .optional(amount?.currency.code), "provider": .optional(provider),
            "command": .optional(command), "jti": .optional(identifier),
        ]).text
    }

    /// The line for people.
    var text: String {
        var words = [(provider.map { $0 + "/" } ?? "") + (transaction ?? command ?? "?"), outcome.rawValue]
        if let amount { words.insert("\(amount) \(amount.currency.code)", at: 1) }
        if isRepeated { words.append("again, because it was cut off") }
        if isRequested { words.append("on request") }
        if let reason { words.append("(\(reason))") }
        return words.joined(separator: " ")
    }
}
