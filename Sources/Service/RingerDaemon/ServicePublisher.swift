import RingerCore
import RingerBus
import SystemPackage

/// Tells the bus what has changed and what is wrong. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ServicePublisher: @unchecked Sendable {
    /// Publishes what has changed of every object; nil before the service has started and once it has stopped.
    var publishChanges: (() -> Void)?
    private let connection: BusConnection
    private var isDue = false
    /// What is wrong is logged once as long as nothing else is.
    private var logged: RingerError?

    init(_ connection: BusConnection) {
        self.connection = connection
    }

    /// Publishes what has changed, once what runs now has returned and the bus takes messages: while the bus is
    /// busy, changes are not queued, and the newest state is published.
    func publishSoon() {
        if isDue || publishChanges == nil { return }
        isDue = true
        connection.loop.execute { [self] in connection.whenWritten { [weak self] in self?.publish() } }
    }

    /// Publishes what has changed.
    func publish() {
        isDue = false
        publishChanges?()
    }

    /// Tells every subscriber what is wrong, and the log.
    func reportDegraded(_ error: RingerError) {
        // An error of standard error cannot be reported.
        if logged != error { _ = try? FileDescriptor.standardError.writeAll("Warning: \("\(error)".oneLine)\n".utf8) }
        logged = error
        connection.signal(RingerNames.path, RingerNames.interface, "Degraded", [.string("\(error)")])
    }
}
