import Glibc

/// The process that opened something. A child of fork has a copy of its parent's memory and descriptors, and none of its
/// threads: what it did to a device would happen to its parent's, and what waits for a thread would wait for ever.
///
/// The corresponding C function is `getpid`.
package struct OwningProcess: Sendable {
    private let id = getpid()

    package init() {}

    /// Whether the caller runs in this process.
    package var isCurrent: Bool { getpid() == id }

    /// - Throws: ``RingerError`` with the code `otherProcess` in another process.
    package func check(_ operation: String, _ subject: String) throws(RingerError) {
        if !isCurrent { throw error(operation, subject) }
    }

    /// Why another process cannot use what was opened.
    package func error(_ operation: String, _ subject: String) -> RingerError {
        RingerError(.otherProcess, operation, subject, detail: "open a device after fork")
    }
}
