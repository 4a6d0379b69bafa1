import RingerServices
import Synchronization

/// Jacks, volume, input and screen lock that the test sets.
public final class SimulatedStateSource: DeviceStateSource, Sendable {
    private let handler = Mutex<(@Sendable (DeviceStateChange) -> Void)?>(nil)

    /// "simulated device state".
    public let name = "simulated device state"

    /// A source that tells nothing until ``set(_:)``.
    public init() {}

    /// Tells whoever watches `change`.
    public func set(_ change: DeviceStateChange) {
        handler.withLock { $0 }?(change)
    }

    /// Begins to tell `handler`.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        self.handler.withLock { $0 = handler }
    }

    /// Ends telling.
    public func close() {
        handler.withLock { $0 = nil }
    }
}
