import CPaymentSpeaker
import Ringer

extension RingerError.Code {
    /// The ledger's file is no database any more, or a part of it cannot be read.
    static let damaged = RingerError.Code(rawValue: "damaged")
    /// The ledger's disk is full.
    static let diskFull = RingerError.Code(rawValue: "diskFull")
}

/// An SQLite database, closed by its owner's end.
final class Database {
    private let handle: OpaquePointer
    let path: String

    /// Opens or makes the database, which reaches the disk with every transaction.
    ///
    /// - Throws: ``RingerError`` with SQLite's reason.
    init(_ path: String) throws(RingerError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let reason = opened.map { String(cString: sqlite3_errmsg($0)) }
            sqlite3_close(opened)
            throw RingerError(.system, "open the ledger", path, detail: reason)
        }
        handle = opened
        do throws(RingerError) {
            // A reader, such as the sqlite3 command, may hold it for a moment.
            sqlite3_busy_timeout(handle, 2000)
            // One fsync for each transaction. Little memory: the ledger is written a row at a time. The write-ahead log is
            // copied into the database at 128 kB: on a small disk it must not take the room that copying needs.
            try run(
                """
                PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256;
                PRAGMA wal_autocheckpoint = 32; PRAGMA journal_size_limit = 131072
                """)
        } catch {
            sqlite3_close(handle)
            throw error
        }
    }

    deinit {
        sqlite3_close(handle)
    }

    /// Runs statements that return nothing.
    func run(_ statements: String) throws(RingerError) {
        guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else { throw failure("write") }
    }

    /// The statement for use many times.
    func prepare(_ text: String) throws(RingerError) -> Statement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
            throw failure("prepare a statement for")
        }
        return Statement(self, statement)
    }

    /// Copies the write-ahead log into the database, so that the log's room can be used again.
    func copyLog() throws(RingerError) {
        try run("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Reads the whole database.
    ///
    /// - Throws: ``RingerError`` with the code `damaged` if it is.
    func check() throws(RingerError) {
        var fault: String?
        try prepare("PRAGMA quick_check(1)").run { fault = $0.text(0) }
        if fault != "ok" { throw RingerError(.damaged, "check the ledger", path, detail: fault) }
    }

    fileprivate func failure(_ operation: String) -> RingerError {
        let code: RingerError.Code =
            switch sqlite3_errcode(handle) {
            case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
            // A block of the disk that cannot be read any more.
            case SQLITE_IOERR where sqlite3_extended_errcode(handle) == SQLITE_IOERR | 1 << 8: .damaged
            case SQLITE_FULL: .diskFull
            // Values that the table does not allow.
            case SQLITE_CONSTRAINT: .invalid
            default: .system
            }
        return RingerError(code, "\(operation) the ledger", path, detail: String(cString: sqlite3_errmsg(handle)))
    }

    /// A prepared statement.
    final class Statement {
        private let database: Database
        private let handle: OpaquePointer

        fileprivate init(_ database: Database, _ handle: OpaquePointer) {
            (self.database, self.handle) = (database, handle)
        }

        deinit {
            sqlite3_finalize(handle)
        }

        /// A value of a column or a parameter.
        enum Value {
            case null
            case integer(Int64)
            case real(Double)
            case text(String)

            static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
            static func optional(_ integer: Int64?) -> Value { integer.map(Value.integer) ?? .null }
            static func optional(_ real: Double?) -> Value { real.map(Value.real) ?? .null }
        }

        /// Runs the statement with these parameters, and calls `row` for each row of its result.
        func run(_ parameters: [Value] = [], row: (Row) -> Void = { _ in }) throws(RingerError) {
            defer {
                sqlite3_reset(handle)
                sqlite3_clear_bindings(handle)
            }
            for (index, value) in parameters.enumerated() {
                let position = CInt(index + 1)
                let result =
                    switch value {
                    case .null: sqlite3_bind_null(handle, position)
                    case .integer(let integer): sqlite3_bind_int64(handle, position, integer)
                    case .real(let real): sqlite3_bind_double(handle, position, real)
                    case .text(let text): sqlite3_bind_text(handle, position, text, -1, payment_transient())
                    }
                guard result == SQLITE_OK else { throw database.failure("write") }
            }
            while true {
                switch sqlite3_step(handle) {
                case SQLITE_ROW: row(Row(handle: handle))
                case SQLITE_DONE: return
                default: throw database.failure("write")
                }
            }
        }
    }

    /// A row of a result, valid during the call that gets it.
    struct Row {
        fileprivate let handle: OpaquePointer

        /// The text of a column; nil if it is null, no UTF-8, or has a zero byte: as a parameter it would be another text.
        func text(_ column: CInt) -> String? {
            guard let bytes = sqlite3_column_text(handle, column) else { return nil }
            // SAFETY: SQLite's text ends in a zero byte, and remains until the statement's next step; it is copied at once.
            let text = bytes.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
            return text?.utf8.count == Int(sqlite3_column_bytes(handle, column)) ? text : nil
        }

        func integer(_ column: CInt) -> Int64? {
            sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
        }

        /// The values of the columns, as parameters of another statement.
        var values: [Statement.Value] { (0..<sqlite3_column_count(handle)).map(value) }

        private func value(_ column: CInt) -> Statement.Value {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
            case SQLITE_FLOAT: .real(sqlite3_column_double(handle, column))
            case SQLITE_NULL: .null
            default: .optional(text(column))
            }
        }

        func real(_ column: CInt) -> Double? {
            sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_double(handle, column)
        }
    }
}
