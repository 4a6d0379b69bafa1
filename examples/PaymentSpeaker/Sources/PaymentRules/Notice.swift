/// What a payment notice states.
public struct Notice: Sendable, Hashable {
    /// The longest name of a transaction, in bytes.
    public static let longestTransaction = 128

    /// Identifies the payment.
    public let transaction: String
    /// The amount.
    public let amount: Amount
    /// When it was paid.
    public let time: WallTime

    /// The notice of these members of a JSON object; nil stands for a member that is missing or no string.
    ///
    /// - Throws: ``Refusal`` with the reason.
    public init(
        transaction: String?, amount: String?, currency: String?, time: String?
    ) throws(Refusal) {
        guard let transaction, (1...Self.longestTransaction).contains(transaction.utf8.count) else {
            throw Refusal("transaction is not a string of 1 to \(Self.longestTransaction) bytes")
        }
        guard let currency = currency.flatMap({ Currency($0) }) else {
            throw Refusal("currency is no code of ISO 4217", transaction)
        }
        guard let amount = amount.flatMap({ Amount($0, currency) }) else {
            throw Refusal(
                "amount is not a string such as \"12\", 0 to \(Amount.largest), with at most \(currency.decimals) decimals",
                transaction)
        }
        guard let time = time.flatMap({ WallTime(rfc3339: $0) }) else {
            throw Refusal("time is not according to RFC 3339", transaction)
        }
        (self.transaction, self.amount, self.time) = (transaction, amount, time)
    }

    /// A notice that was read before.
    public init(transaction: String, amount: Amount, time: WallTime) {
        (self.transaction, self.amount, self.time) = (transaction, amount, time)
    }
}

/// Why a notice is refused: it is neither recorded nor announced.
public struct Refusal: Error, Sendable, Hashable {
    /// The reason, for people.
    public let reason: String
    /// The transaction that the notice names, where it could be read.
    public var transaction: String?

    /// A refusal for this reason.
    public init(_ reason: String, _ transaction: String? = nil) {
        self.reason = reason
        self.transaction = transaction
    }
}
