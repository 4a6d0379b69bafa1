import CRinger
import RingerLinux

/// The process that opened a device, which every call compares with its own.
struct OwnProcess: Sendable {
    private let number = ringer_process()

    /// Whether the caller runs in this process.
    var isCurrent: Bool { ringer_process() == number }

    /// - Throws: ``RingerError`` with the code `otherProcess` in a child of fork.
    func check() throws(RingerError) {
        if !isCurrent { throw OwningProcess().error("use it", "device") }
    }
}
