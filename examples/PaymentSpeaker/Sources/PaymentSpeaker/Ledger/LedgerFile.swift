import Glibc
import Ringer

/// The ledger's file: opened when it is first used, and replaced by a new one when it is damaged.
final class LedgerFile {
    let path: String
    private var ledger: Ledger?
    /// Whether the payments that the end of the process before cut off are pending.
    private var hasBegun = false
    /// What is wrong with the file: the next use replaces it.
    private var damage: RingerError?
    /// How often the file was replaced.
    private(set) var replacements = 0
    /// Called with what was wrong with a file that was replaced.
    var onReplacement: (RingerError) -> Void = { _ in }

    /// Whether there is a file without even a header: SQLite makes a new database of it without a word. An attempt of this
    /// process to begin a new ledger may leave such a file as well.
    private var isEmpty: Bool
    /// The descriptor of the file whose lock keeps other processes from the ledger; negative while it is not locked.
    private var lock: CInt = -1

    init(_ path: String) {
        // Where a symbolic link leads, as for SQLite: the file is renamed, not the link.
        // SAFETY: realpath returns nil or a string that ends in a zero byte, and is freed once.
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            self.path = String(cString: resolved)
        } else {
            self.path = path
        }
        var status = stat()
        isEmpty = stat(path, &status) == 0 && status.st_size == 0
    }

    deinit {
        if lock >= 0 { close(lock) }
    }

    /// Keeps other processes from the ledger until this one ends: both would announce each payment. The lock is on a file of
    /// its own, because a damaged ledger is renamed. The corresponding C function is `flock`.
    ///
    /// - Throws: ``RingerError`` with the code `busy` where another process has it.
    func lockFile() throws(RingerError) {
        guard lock < 0, path != ":memory:" else { return }
        let name = path + ".lock"
        let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RingerError(.system, "open the lock of the ledger", name, detail: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error =
                errno == EWOULDBLOCK
                ? RingerError(.busy, "lock the ledger", path, detail: "another process uses it")
                : RingerError(.system, "lock the ledger", path, detail: String(cString: strerror(errno)))
            close(descriptor)
            throw error
        }
        lock = descriptor
    }

    /// Where a damaged ledger is kept; one that was kept before is removed.
    private var damagedPath: String { path + ".damaged" }

    /// The size of the file, in bytes; nil if there is none.
    var size: Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Uses the ledger. Where its disk is full, or its file damaged, `body` runs a second time after the remedy.
    ///
    /// - Throws: ``RingerError`` of `body`, or if the ledger cannot be opened; the next use tries again.
    func use<Value>(_ body: (Ledger) throws(RingerError) -> Value) throws(RingerError) -> Value {
        do throws(RingerError) {
            return try body(opened())
        } catch {
            switch error.code {
            case .diskFull: try ledger?.makeRoom()
            case .damaged: damage = error
            default: throw error
            }
        }
        return try body(opened())
    }

    /// Replaces the file at the next use.
    ///
    /// - Parameters:
    ///   - damage: What a check of the file has found.
    ///   - replacements: ``replacements`` when the check began. A file that was replaced since then is another one.
    func replace(because damage: RingerError, checkedAfter replacements: Int) {
        if replacements == self.replacements { self.damage = damage }
    }

    /// Sets the damaged file aside.
    private func setAside(because damage: RingerError) throws(RingerError) {
        ledger = nil
        for suffix in ["", "-wal", "-shm"] { unlink(damagedPath + suffix) }
        // The log first: a new database must not find the old one's log.
        for suffix in ["-shm", "-wal", ""] where rename(path + suffix, damagedPath + suffix) != 0 && errno != ENOENT {
            throw RingerError(.system, "set the damaged ledger aside", path, detail: String(cString: strerror(errno)))
        }
        self.damage = nil
        replacements += 1
        var report = damage
        report.detail = "\(damage.detail ?? "damaged"); a new one was begun, and the old one is \(damagedPath)"
        onReplacement(report)
    }

    private func opened() throws(RingerError) -> Ledger {
        try lockFile()
        if let damage { try setAside(because: damage) }
        if let ledger { return ledger }
        let former = access(damagedPath, F_OK) == 0 ? damagedPath : nil
        let opened: Ledger
        do throws(RingerError) {
            opened = try Ledger(path, takingOver: former)
        } catch {
            guard error.code == .diskFull else { throw error }
            // Both have no room beside each other. The payments that wait are among the newest.
            opened = try Ledger(path, takingOver: former, atMost: 100)
        }
        if !hasBegun { try opened.requestCutOff() }
        hasBegun = true
        ledger = opened
        if isEmpty {
            isEmpty = false
            onReplacement(RingerError(.damaged, "read the ledger", path, detail: "it was empty; a new one was begun"))
        }
        return opened
    }
}
