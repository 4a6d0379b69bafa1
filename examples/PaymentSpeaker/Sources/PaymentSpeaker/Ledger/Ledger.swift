import PaymentRules
import Ringer

/// The record of every payment, each once. A call returns when the change is on the disk.
///
/// A payment is `received`, then `announcing`, then has its outcome. One that is found `announcing` at the start was cut off
/// by the end of the process: it is announced once more, as a repetition.
final class Ledger {
    /// The recorded state of a payment.
    enum State: String {
        case received, announcing, announced, silenced, vibrated, stale
    }

    /// A payment that is recorded.
    struct Payment {
        var notice: Notice
        var state: State
        var expires: WallTime?
        /// How often its announcement was cut off.
        var repeats: Int64
        /// Whether somebody asked for it after it was silenced.
        var isRequested: Bool
    }

    /// The answer to ``record(_:_:receivedAt:expires:reason:)``.
    enum Recording {
        case recorded
        /// The transaction is in the ledger with the same amount, currency and time.
        case known(State)
        /// The transaction is in the ledger with another content.
        case differs
    }

    /// The answer to ``pending()``.
    enum Pending {
        case payment(Payment)
        /// A row that is no payment. It is recorded as stale for this reason.
        case unreadable(transaction: String?, reason: String)
    }

    /// The condition of the index of the few payments that are not over. SQLite uses it for queries that repeat the condition.
    static let isOpen = "state NOT IN ('announced', 'stale')"
    private static let schema = """
        CREATE TABLE IF NOT EXISTS payments (
            id INTEGER PRIMARY KEY,
            transaction_id TEXT NOT NULL UNIQUE,
            minor_units INTEGER NOT NULL,       -- of the currency, by ISO 4217
            currency TEXT NOT NULL,
            paid_at INTEGER NOT NULL,           -- microseconds since 1970, as are the others
            received_at INTEGER,                -- null: the clock was not set
            expires_at INTEGER,
            state TEXT NOT NULL,
            reason TEXT,
            repeats INTEGER NOT NULL DEFAULT 0,
            requested INTEGER NOT NULL DEFAULT 0,
            first_frame REAL                    -- seconds from arrival to the first frame of the sound
        ) STRICT;
        CREATE TABLE IF NOT EXISTS commands_obeyed (
            jti TEXT PRIMARY KEY,
            issued_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS keys_replaced (
            id INTEGER PRIMARY KEY,             -- in the order of the replacements
            old_name TEXT NOT NULL,
            old_digest TEXT NOT NULL,           -- SHA-256, in base64url: another key of that name is not replaced
            name TEXT NOT NULL,
            public_key TEXT NOT NULL            -- Ed25519, in base64url
        ) STRICT;
        CREATE INDEX IF NOT EXISTS open_payments ON payments (state) WHERE \(isOpen);
        """
    /// The version of the tables. A ledger of another one is refused: its amounts may mean something else.
    static let version: Int64 = 2
    static let columns =
        "id, transaction_id, minor_units, currency, paid_at, state, expires_at, repeats, requested"

    let database: Database
    private let insert: Database.Statement
    private let find: Database.Statement
    private let next: Database.Statement
    private let last: Database.Statement
    private let update: Database.Statement
    private let request: Database.Statement
    private let count: Database.Statement
    private let countOfPending: Database.Statement

    /// Opens or makes the ledger.
    ///
    /// - Parameters:
    ///   - path: The file; `:memory:` for a ledger that is not kept.
    ///   - former: A damaged ledger, whose payments a new one takes over as far as they can be read.
    ///   - most: The most payments that are taken over from each end of it. The older ones are over, and the broker has
    ///     forgotten them.
    /// - Throws: ``RingerError`` with SQLite's reason; with the code `invalid` for a ledger of another version.
    init(_ path: String, takingOver former: String? = nil, atMost most: Int = 10_000) throws(RingerError) {
        database = try Database(path)
        var version: Int64?
        try database.prepare("PRAGMA user_version").run { version = $0.integer(0) }
        if let version, version != 0, version != Self.version {
            throw RingerError(
                .invalid, "open the ledger", path,
                detail: "it is of version \(version); this program has ledgers of version \(Self.version)")
        }
        // At once with the tables: after a crash in between it is a new one again.
        try database.run("BEGIN IMMEDIATE")
        do throws(RingerError) {
            try database.run(Self.schema)
            if version == 0 {
                if let former { try Self.takeOver(former, into: database, atMost: most) }
                try database.run("PRAGMA user_version = \(Self.version)")
            }
            try database.run("COMMIT")
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
        insert = try database.prepare(
            """
            INSERT INTO payments
                (transaction_id, minor_units, currency, paid_at, received_at, expires_at, state, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING RETURNING id
            """)
        find = try database.prepare("SELECT \(Self.columns) FROM payments WHERE transaction_id = ?")
        next = try database.prepare(
            "SELECT \(Self.columns) FROM payments WHERE state = 'received' AND \(Self.isOpen) ORDER BY id LIMIT 1")
        last = try database.prepare(
            "SELECT \(Self.columns) FROM payments WHERE state = 'announced' ORDER BY id DESC LIMIT 1")
        // It may be missing: the ledger in which it was recorded was damaged.
        update = try database.prepare(
            """
            INSERT INTO payments
                (transaction_id, minor_units, currency, paid_at, state, reason, first_frame, repeats)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (transaction_id) DO UPDATE SET
                    state = excluded.state, reason = excluded.reason, first_frame = excluded.first_frame,
                    repeats = repeats + excluded.repeats
            """)
        request = try database.prepare(
            """
            UPDATE payments SET state = 'received', requested = 1
                WHERE state IN ('silenced', 'vibrated') AND \(Self.isOpen)
            """)
        count = try database.prepare(
            "SELECT count(*) FROM payments WHERE state IN ('silenced', 'vibrated') AND \(Self.isOpen)")
        countOfPending = try database.prepare(
            "SELECT count(*) FROM payments WHERE state IN ('received', 'announcing') AND \(Self.isOpen)")
    }

    /// Makes payments whose announcement the end of the process cut off pending again, as repetitions.
    func requestCutOff() throws(RingerError) {
        try database.run(
            "UPDATE payments SET state = 'received', repeats = repeats + 1 WHERE state = 'announcing' AND \(Self.isOpen)"
        )
    }

    /// Makes room in the file for another change, where the disk is full.
    func makeRoom() throws(RingerError) {
        try database.copyLog()
    }

    /// Records a payment, unless it is recorded already.
    ///
    /// - Parameters:
    ///   - notice: The payment.
    ///   - receivedAt: The present time; nil while the clock is not set.
    ///   - expires: When its announcement would come too late; nil for never.
    ///   - reason: Why it is not to be announced; nil if it is.
    func record(
        _ notice: Notice, receivedAt: WallTime?, expires: WallTime?, staleBecause reason: String?
    ) throws(RingerError) -> Recording {
        var isNew = false
        try insert.run([
            .text(notice.transaction), .integer(notice.amount.minorUnits), .text(notice.amount.currency.code),
            .integer(notice.time.microseconds), .optional(receivedAt?.microseconds), .optional(expires?.microseconds),
            .text((reason == nil ? State.received : .stale).rawValue), .optional(reason),
        ]) { _ in isNew = true }
        if isNew { return .recorded }
        var known: Payment?
        try find.run([.text(notice.transaction)]) { known = Self.payment($0) }
        guard let known, known.notice == notice else { return .differs }
        return .known(known.state)
    }

    /// The payment that is announced next; nil if none is pending.
    ///
    /// A row that cannot be read, such as one of a currency that only a later version of the program knows, is recorded as
    /// stale: it would be next for ever.
    func pending() throws(RingerError) -> Pending? {
        var found: (row: Int64?, transaction: String?, payment: Payment?)?
        try next.run { found = ($0.integer(0), $0.text(1), Self.payment($0)) }
        guard let found else { return nil }
        if let payment = found.payment { return .payment(payment) }
        let reason = "unreadable"
        try database.prepare("UPDATE payments SET state = 'stale', reason = ? WHERE id = ?").run([
            .text(reason), .optional(found.row),
        ])
        return .unreadable(transaction: found.transaction, reason: reason)
    }

    /// The payment that arrived last of those that were announced; nil if there is none. Another may have been announced
    /// after it, on request.
    func lastAnnounced() throws(RingerError) -> Payment? {
        var payment: Payment?
        try last.run { payment = Self.payment($0) }
        return payment
    }

    /// Records what happens to a payment.
    ///
    /// - Parameters:
    ///   - state: Its state from now on.
    ///   - reason: Why it was not announced.
    ///   - firstFrame: The time from its arrival to the first frame of its announcement, in seconds.
    ///   - isCutOff: Whether an announcement that had begun is repeated.
    func set(
        _ payment: Payment, to state: State, because reason: String? = nil, firstFrame: Double? = nil,
        isCutOff: Bool = false
    ) throws(RingerError) {
        let notice = payment.notice
        try update.run([
            .text(notice.transaction), .integer(notice.amount.minorUnits), .text(notice.amount.currency.code),
            .integer(notice.time.microseconds), .text(state.rawValue), .optional(reason), .optional(firstFrame),
            .integer(isCutOff ? 1 : 0),
        ])
    }

    /// The newest time of the speaker's own clock in the ledger: the present is later. The times of publishers prove nothing.
    func newestTime() throws(RingerError) -> WallTime? {
        var newest: Int64?
        // Of the newest rows: a ledger may have a million.
        let query = "SELECT max(received_at) FROM (SELECT received_at FROM payments ORDER BY id DESC LIMIT 1000)"
        try database.prepare(query).run { newest = $0.integer(0) }
        return newest.map { WallTime(microseconds: $0) }
    }

    /// Makes the payments that were silenced pending.
    func requestSilenced() throws(RingerError) {
        try request.run()
    }

    /// How many payments wait to be announced, with the one that is.
    func countPending() throws(RingerError) -> Int {
        var number: Int64 = 0
        try countOfPending.run { number = $0.integer(0) ?? 0 }
        return Int(number)
    }

    /// How many payments were silenced, and not announced since.
    func countSilenced() throws(RingerError) -> Int {
        var number: Int64 = 0
        try count.run { number = $0.integer(0) ?? 0 }
        return Int(number)
    }

    static func payment(_ row: Database.Row) -> Payment? {
        guard let transaction = row.text(1),
            let currency = row.text(3).flatMap({ Currency($0) }),
            let amount = row.integer(2).flatMap({ Amount(minorUnits: $0, currency) }), let paid = row.integer(4),
            let state = row.text(5).flatMap(State.init(rawValue:))
        else { return nil }
        let notice = Notice(
            transaction: transaction, amount: amount, time: WallTime(microseconds: paid))
        return Payment(
            notice: notice, state: state, expires: row.integer(6).map { WallTime(microseconds: $0) },
            repeats: row.integer(7) ?? 0, isRequested: row.integer(8) == 1)
    }
}
