import RingerCore
import Synchronization

@testable import RingerLinux

/// The changes that a source reported, for the test to take.
final class ReportedChanges: Sendable {
    private let changes = Mutex<[DeviceStateChange]>([])
    private let isTold = Latch()

    func tell(_ change: DeviceStateChange) {
        changes.withLock { $0.append(change) }
        isTold.open()
    }

    /// The changes that were not taken yet.
    func take() -> [DeviceStateChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    /// Takes the next change; nil if none comes within 60 s.
    func next() -> DeviceStateChange? {
        while true {
            let first = changes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if first != nil { return first }
            guard isTold.wait(until: .now + .seconds(60)) else { return nil }
        }
    }
}
