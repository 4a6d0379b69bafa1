import PaymentRules
import Ringer

/// Providers of payments with topics of their own. Each numbers its transactions by itself: the ledger has them as
/// `PROVIDER/TRANSACTION`.
extension PaymentSpeaker {
    /// The notice as the ledger has it.
    ///
    /// - Throws: ``Refusal`` for a transaction that would be taken for another provider's.
    func qualified(_ notice: Notice, by provider: String?) throws(Refusal) -> Notice {
        guard let provider else {
            guard parts(of: notice.transaction).provider == nil else {
                throw Refusal("the transaction begins with the name of a provider", notice.transaction)
            }
            return notice
        }
        return Notice(transaction: "\(provider)/\(notice.transaction)", amount: notice.amount, time: notice.time)
    }

    /// The provider of a payment of the ledger, and its own name for the transaction.
    func parts(of transaction: String) -> (provider: String?, transaction: String) {
        guard let provider = settings.providers.first(where: { transaction.hasPrefix($0 + "/") }) else {
            return (nil, transaction)
        }
        return (provider, String(transaction.dropFirst(provider.count + 1)))
    }

    /// The report on a payment of the ledger.
    func makeReport(
        on transaction: String?, _ outcome: Report.Outcome, isRepeated: Bool = false, isRequested: Bool = false,
        reason: String? = nil, amount: Amount? = nil
    ) -> Report {
        let (provider, transaction) = transaction.map { parts(of: $0) } ?? (nil, nil)
        return Report(
            transaction: transaction, provider: provider, outcome: outcome, isRepeated: isRepeated,
            isRequested: isRequested, reason: reason, amount: amount)
    }
}
