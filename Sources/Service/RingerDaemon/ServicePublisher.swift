import Ringer
import RingerBus

/// Tells the bus what has changed and what is wrong. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone.
final class ServicePublisher: @unchecked Sendable {
    /// Publishes what has changed of every object; nil before the service has started and once it has stopped.
    var publishChanges: (() -> Void)?
    private let connection: BusConnection
    private var isDue = false

    init(_ connection: BusConnection) {
        self.connection = connection
    }

    /// Publishes what has changed, once what runs now has returned and the bus has taken what was sent: while the bus is
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

    /// Tells every subscriber what is wrong.
    func reportDegraded(_ error: RingerError) {
        connection.signal(RingerNames.path, RingerNames.interface, "Degraded", [.string("\(error)")])
    }
}
