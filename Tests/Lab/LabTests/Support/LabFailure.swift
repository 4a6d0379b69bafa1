import Glibc

/// The laboratory is not as the test needs it: something is missing, or did not happen in time.
struct LabFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A system call failed just now; `errno` has the reason.
    static func system(_ operation: String, _ path: String = "") -> LabFailure {
        let reason = String(cString: strerror(errno))
        return LabFailure("\(operation) \(path): \(reason)")
    }
}
