import PaymentRules
import Ringer

/// How long the ledger keeps payments that are over: announced, or stale. What is still to be announced, and what nobody
/// has heard, is kept for ever.
struct Retention: Sendable {
    /// How long after their arrival.
    var age = Duration.seconds(400 * 86_400)
    /// How much of the file may be in use, in bytes; the oldest payments make room for others.
    var size: Int64 = 64 << 20
}

extension Ledger {
    /// The most payments that are deleted at once: the disk is not held up for long.
    private static let batch = 1000

    /// Deletes payments that are kept no longer. The file does not shrink; its free pages are used again.
    ///
    /// - Parameter now: The present time; nil while the clock is not set, when no age can be judged.
    /// - Returns: How many were deleted. There may be more if there were any.
    func prune(_ retention: Retention, now: WallTime?) throws(RingerError) -> Int {
        // The oldest ones only: a ledger may have a million.
        let oldest = """
            (SELECT id, coalesce(received_at, paid_at) AS at FROM payments
                WHERE state IN ('announced', 'stale') ORDER BY id LIMIT \(Self.batch))
            """
        let isFull = try usedBytes() > retention.size
        var deleted = 0
        let end = now.map { $0.microseconds - Int64(retention.age / .microseconds(1)) }
        try database.prepare(
            "DELETE FROM payments WHERE id IN (SELECT id FROM \(oldest) WHERE ?1 OR at < ?2) RETURNING id"
        ).run([.integer(isFull ? 1 : 0), .optional(end)]) { _ in deleted += 1 }
        return deleted
    }

    private func usedBytes() throws(RingerError) -> Int64 {
        var bytes: Int64 = 0
        try database.prepare(
            """
            SELECT (page_count - freelist_count) * page_size
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """
        ).run { bytes = $0.integer(0) ?? 0 }
        return bytes
    }
}
