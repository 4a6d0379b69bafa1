import Glibc
import Synchronization

/// Counts the tests that were skipped outside the laboratory, and says at the process's end how many there were.
enum SkippedTests {
    private static let number = Mutex(0)

    private static let announcement: Void = {
        atexit {
            let number = SkippedTests.number.withLock { $0 }
            print("LabTests: \(number) tests skipped: \(LabTrait.reason.rawValue)")
        }
    }()

    /// One more.
    static func count() {
        _ = announcement
        number.withLock { $0 += 1 }
    }
}
