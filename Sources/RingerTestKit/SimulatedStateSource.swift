import RingerServices
import Synchronization

/// Jacks, volume, input and screen lock that the test sets.
public final class SimulatedStateSource: DeviceStateSource, Sendable {
    // In a structure: a lock that holds a bare function wraps it once more at each access.
    private struct State {
        var handler: (@Sendable (DeviceStateChange) -> Void)?
    }

    private let state = Mutex(State())

    /// "simulated device state".
    public let name = "simulated device state"

    /// A source that tells nothing until ``set(_:)``.
    public init() {}

    /// Tells whoever watches `change`.
    public func set(_ change: DeviceStateChange) {
        let handler = state.withLock { $0.handler }
        handler?(change)
    }

    /// Begins to tell `handler`.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        state.withLock { $0.handler = handler }
    }

    /// Ends telling.
    public func close() {
        state.withLock { $0.handler = nil }
    }
}
