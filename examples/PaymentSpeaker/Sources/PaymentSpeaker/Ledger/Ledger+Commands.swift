import PaymentRules
import Ringer

/// What signed commands have changed, and which were obeyed.
extension Ledger {
    /// How long after the newest command an older one may be obeyed. A replay is found among those of this time, and older
    /// ones are refused, whatever the clock says.
    private static let window = Duration.seconds(600)

    /// Records a command together with its changes.
    ///
    /// - Parameter changes: The changes, which are made if it is no replay.
    /// - Returns: False if it was obeyed before, or is older than the newest one by the window: it may be a replay.
    func obey(_ command: Command, changes: () throws(RingerError) -> Void) throws(RingerError) -> Bool {
        try database.run("BEGIN IMMEDIATE")
        do throws(RingerError) {
            let isNew = try record(command)
            if isNew { try changes() }
            try database.run("COMMIT")
            return isNew
        } catch {
            try? database.run("ROLLBACK")
            throw error
        }
    }

    private func record(_ command: Command) throws(RingerError) -> Bool {
        var newest: Int64?
        try database.prepare("SELECT max(issued_at) FROM commands_obeyed").run { newest = $0.integer(0) }
        let issued = command.issued.microseconds
        let oldest = max(newest ?? issued, issued) - Int64(Self.window / .microseconds(1))
        guard issued >= oldest else { return false }
        var isNew = false
        try database.prepare(
            "INSERT INTO commands_obeyed (jti, issued_at) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING jti"
        ).run([.text(command.identifier), .integer(issued)]) { _ in isNew = true }
        try database.prepare("DELETE FROM commands_obeyed WHERE issued_at < ?").run([.integer(oldest)])
        return isNew
    }

    /// The value of a setting; nil if no command has set it.
    func setting(_ name: String) throws(RingerError) -> String? {
        var value: String?
        try database.prepare("SELECT value FROM settings WHERE name = ?").run([.text(name)]) { value = $0.text(0) }
        return value
    }

    /// Sets a setting.
    func set(_ name: String, to value: String) throws(RingerError) {
        try database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)").run([
            .text(name), .text(value),
        ])
    }

    /// The keys that were replaced, in order.
    func replacedKeys() throws(RingerError) -> [Envelope.Replacement] {
        var replacements: [Envelope.Replacement] = []
        let query = "SELECT old_name, old_digest, name, public_key FROM keys_replaced ORDER BY id"
        try database.prepare(query).run { row in
            guard let old = row.text(0), let digest = row.text(1), let name = row.text(2), let key = row.text(3) else {
                return
            }
            replacements.append(.init(oldName: old, oldDigest: digest, name: name, publicKey: key))
        }
        return replacements
    }

    /// Records that a key was replaced.
    func add(_ replacement: Envelope.Replacement) throws(RingerError) {
        try database.prepare(
            "INSERT INTO keys_replaced (old_name, old_digest, name, public_key) VALUES (?, ?, ?, ?)"
        ).run([
            .text(replacement.oldName), .text(replacement.oldDigest), .text(replacement.name),
            .text(replacement.publicKey),
        ])
    }
}
