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
        var row: Int64
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
        case recorded(row: Int64)
        /// The transaction is in the ledger with the same amount, currency and time.
        case known(State)
        /// The transaction is in the ledger with another content.
        case differs
    }

    /// The condition of the index of the few payments that are not over. SQLite uses it for queries that repeat the condition.
    private static let isOpen = "state NOT IN ('announced', 'stale')"
    private static let schema = """
        CREATE TABLE IF NOT EXISTS payments (
            id INTEGER PRIMARY KEY,
            transaction_id TEXT NOT NULL UNIQUE,
            hundredths INTEGER NOT NULL,
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
        CREATE INDEX IF NOT EXISTS open_payments ON payments (state) WHERE \(isOpen);
        PRAGMA user_version = 1;
        """
    private static let columns =
        "id, transaction_id, hundredths, currency, paid_at, state, expires_at, repeats, requested"

    private let insert: Database.Statement
    private let find: Database.Statement
    private let next: Database.Statement
    private let last: Database.Statement
    private let update: Database.Statement
    private let request: Database.Statement
    private let count: Database.Statement

    /// Opens or makes the ledger. Payments whose announcement was cut off are pending again.
    ///
    /// - Parameter path: The file; `:memory:` for a ledger that is not kept.
    /// - Throws: ``RingerError`` with SQLite's reason.
    init(_ path: String) throws(RingerError) {
        let database = try Database(path)
        try database.run(Self.schema)
        try database.run(
            "UPDATE payments SET state = 'received', repeats = repeats + 1 WHERE state = 'announcing' AND \(Self.isOpen)"
        )
        insert = try database.prepare(
            """
            INSERT INTO payments
                (transaction_id, hundredths, currency, paid_at, received_at, expires_at, state, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING RETURNING id
            """)
        find = try database.prepare("SELECT \(Self.columns) FROM payments WHERE transaction_id = ?")
        next = try database.prepare(
            "SELECT \(Self.columns) FROM payments WHERE state = 'received' AND \(Self.isOpen) ORDER BY id LIMIT 1")
        last = try database.prepare(
            "SELECT \(Self.columns) FROM payments WHERE state = 'announced' ORDER BY id DESC LIMIT 1")
        update = try database.prepare(
            "UPDATE payments SET state = ?2, reason = ?3, first_frame = ?4, repeats = repeats + ?5 WHERE id = ?1")
        request = try database.prepare(
            """
            UPDATE payments SET state = 'received', requested = 1
                WHERE state IN ('silenced', 'vibrated') AND \(Self.isOpen)
            """)
        count = try database.prepare(
            "SELECT count(*) FROM payments WHERE state IN ('silenced', 'vibrated') AND \(Self.isOpen)")
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
        var row: Int64?
        try insert.run([
            .text(notice.transaction), .integer(Int64(notice.amount.hundredths)), .text(notice.currency.rawValue),
            .integer(notice.time.microseconds), .optional(receivedAt?.microseconds), .optional(expires?.microseconds),
            .text((reason == nil ? State.received : .stale).rawValue), .optional(reason),
        ]) { row = $0.integer(0) }
        if let row { return .recorded(row: row) }
        var known: Payment?
        try find.run([.text(notice.transaction)]) { known = Self.payment($0) }
        guard let known, known.notice == notice else { return .differs }
        return .known(known.state)
    }

    /// The payment that is announced next; nil if none is pending.
    func pending() throws(RingerError) -> Payment? {
        var payment: Payment?
        try next.run { payment = Self.payment($0) }
        return payment
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
        try update.run([
            .integer(payment.row), .text(state.rawValue), .optional(reason), .optional(firstFrame),
            .integer(isCutOff ? 1 : 0),
        ])
    }

    /// Makes the payments that were silenced pending.
    func requestSilenced() throws(RingerError) {
        try request.run()
    }

    /// How many payments were silenced, and not announced since.
    func countSilenced() throws(RingerError) -> Int {
        var number: Int64 = 0
        try count.run { number = $0.integer(0) ?? 0 }
        return Int(number)
    }

    private static func payment(_ row: Database.Row) -> Payment? {
        guard let id = row.integer(0), let transaction = row.text(1),
            let amount = row.integer(2).flatMap({ Amount(hundredths: Int($0)) }),
            let currency = row.text(3).flatMap(Currency.init(rawValue:)), let paid = row.integer(4),
            let state = row.text(5).flatMap(State.init(rawValue:))
        else { return nil }
        let notice = Notice(
            transaction: transaction, amount: amount, currency: currency, time: WallTime(microseconds: paid))
        return Payment(
            row: id, notice: notice, state: state, expires: row.integer(6).map { WallTime(microseconds: $0) },
            repeats: row.integer(7) ?? 0, isRequested: row.integer(8) == 1)
    }
}
