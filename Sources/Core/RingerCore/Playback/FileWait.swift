import Synchronization

/// Whether a thread waits for the file system, whose calls may never return. Any thread.
final class FileWait: Sendable {
    /// Of the work that the calling thread does.
    private static let current = TaskLocal<FileWait?>(wrappedValue: nil)

    private let clock: any DeviceClock
    private let waitsSince: Mutex<MonotonicTime?>

    /// The wait of work that is about to begin: until then it waits for its thread.
    init(_ clock: any DeviceClock) {
        self.clock = clock
        waitsSince = Mutex(clock.now)
    }

    /// Since when the work waits; nil while it computes.
    var since: MonotonicTime? { waitsSince.withLock { $0 } }

    /// Does the work, on the calling thread.
    func run(_ work: () -> Void) {
        set(nil)
        Self.current.withValue(self, operation: work)
    }

    /// Makes a call of the file system.
    static func during<Value, Failure: Error>(_ call: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let wait = current.get() else { return try call() }
        wait.set(wait.clock.now)
        defer { wait.set(nil) }
        return try call()
    }

    private func set(_ time: MonotonicTime?) {
        waitsSince.withLock { $0 = time }
    }
}
