import RingerServices
import Synchronization

/// Jacks, volume, input and screen lock that the test sets.
public final class SimulatedStateSource: DeviceStateSource, Sendable {
    // In a structure: a lock that holds a bare function wraps it once more at each access.
    private struct State {
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var hasMixer = true
    }

    private let state = Mutex(State())

    /// "simulated device state".
    public let name = "simulated device state"

    /// A source that reports nothing until ``set(_:)``.
    public init() {}

    /// Reports `change` to the device. After `outputVolume(nil)` there is no mixer, until another volume is set.
    public func set(_ change: DeviceStateChange) {
        let handler = state.withLock { state in
            if case .outputVolume(let volume) = change { state.hasMixer = volume != nil }
            return state.handler
        }
        handler?(change)
    }

    /// Sets the volume as the device's mixer would.
    func setOutputVolume(_ volume: Float) throws(RingerError) {
        guard state.withLock({ $0.hasMixer }) else { throw RingerError(.notFound, "set the volume", "simulated mixer") }
        set(.outputVolume(volume))
    }

    /// Starts reporting to `handler`.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        state.withLock { $0.handler = handler }
    }

    /// Stops reporting.
    public func close() {
        state.withLock { $0.handler = nil }
    }
}
