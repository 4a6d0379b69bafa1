import RingerCore
import Synchronization

/// Jacks, volume, input and screen lock that the test sets. Any thread.
public final class SimulatedStateSource: DeviceStateSource, Sendable {
    // In a structure: a lock that holds a bare function wraps it once more at each access.
    private struct State {
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var hasMixer = true
        /// Whether the board has an input of its own; nil until that is set.
        var hasOwnInput: Bool?
        var hasMicrophone = false
    }

    private let state = Mutex(State())

    /// "simulated device state".
    public let name = "simulated device state"

    /// A source that reports nothing until ``set(_:)``.
    public init() {}

    /// Reports `change` to the device. After `outputVolume(nil)` there is no mixer, until another volume is set.
    ///
    /// `inputAvailable` sets whether the board has a microphone of its own. Without one it has an input while a microphone
    /// is plugged in, and that is reported, as on a board with a capture PCM and a jack.
    public func set(_ change: DeviceStateChange) {
        let (handler, changes): ((@Sendable (DeviceStateChange) -> Void)?, [DeviceStateChange]) = state.withLock {
            state in
            switch change {
            case .outputVolume(let volume): state.hasMixer = volume != nil
            case .inputAvailable(let isAvailable):
                state.hasOwnInput = isAvailable
                return (state.handler, [.inputAvailable(isAvailable || state.hasMicrophone)])
            case .microphoneInserted(let isInserted):
                state.hasMicrophone = isInserted
                if state.hasOwnInput == false { return (state.handler, [change, .inputAvailable(isInserted)]) }
            default: break
            }
            return (state.handler, [change])
        }
        for change in changes { handler?(change) }
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
