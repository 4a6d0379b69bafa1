import PaymentRules
import Ringer

/// A damaged ledger: what can be read of it is taken over by a new one.
extension Ledger {
    /// Copies the payments of a damaged ledger, as far as they can be read: from the newest back to the damage, and from the
    /// oldest on. With the
    /// commands, so that none can be replayed, and what they have set.
    static func takeOver(_ former: String, into database: Database, atMost most: Int) throws(RingerError) {
        // What cannot be read is lost.
        guard let damaged = try? Database(former) else { return }
        for (table, columns) in [
            ("commands_obeyed", "jti, issued_at"), ("settings", "name, value"),
            ("keys_replaced", "id, old_name, old_digest, name, public_key"),
        ] {
            let values = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
            try copy(
                "SELECT \(columns) FROM \(table)", of: damaged,
                by: database.prepare("INSERT OR IGNORE INTO \(table) (\(columns)) VALUES (\(values))"))
        }
        let more = "received_at, reason, first_frame"
        let insert = try database.prepare(
            "INSERT OR IGNORE INTO payments (\(columns), \(more)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        for order in ["DESC", "ASC"] {
            let query = "SELECT \(columns), \(more) FROM payments ORDER BY id \(order) LIMIT \(most)"
            if try copy(query, of: damaged, by: insert, where: { payment($0) != nil }) { return }
        }
    }

    /// Copies rows of a damaged ledger until one cannot be read.
    ///
    /// - Returns: Whether all could be read.
    /// - Throws: ``RingerError`` of the new ledger: its disk may be full.
    @discardableResult
    static func copy(
        _ query: String, of damaged: Database, by insert: Database.Statement,
        where isWanted: (Database.Row) -> Bool = { _ in true }
    ) throws(RingerError) -> Bool {
        var failure: RingerError?
        var isWhole = true
        do throws(RingerError) {
            try damaged.prepare(query).run { row in
                guard failure == nil, isWanted(row) else { return }
                do throws(RingerError) {
                    try insert.run(row.values)
                } catch {
                    // Text where there was a number is damage as well: one such row must not hold up the others.
                    if error.code != .invalid { failure = error }
                }
            }
        } catch {
            isWhole = false
        }
        if let failure { throw failure }
        return isWhole
    }

    /// Whether the file is damaged: reads all of it.
    static func fault(of path: String) -> RingerError? {
        do throws(RingerError) {
            try Database(path).check()
            return nil
        } catch {
            return error
        }
    }
}
