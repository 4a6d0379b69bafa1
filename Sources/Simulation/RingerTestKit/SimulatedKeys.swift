import RingerCore
import Synchronization

/// Keys that the test presses. Any thread.
public final class SimulatedKeys: DeviceStateSource, Sendable {
    // In a structure: a lock that holds a bare function wraps it once more at each access.
    private struct State {
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var pressed: Set<DeviceKey> = []
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())

    /// "simulated keys".
    public let name = "simulated keys"

    /// Keys that are not pressed, on `clock`.
    public init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// Presses `key`; a key that is pressed already reports nothing.
    public func press(_ key: DeviceKey) {
        report(key, state.withLock { $0.pressed.insert(key).inserted ? $0.handler : nil }, isPressed: true)
    }

    /// Repeats `key`, as the kernel does while it is held; a key that is not pressed reports nothing.
    public func repeatHeld(_ key: DeviceKey) {
        let handler = state.withLock { $0.pressed.contains(key) ? $0.handler : nil }
        handler?(.keyRepeated(key, at: clock.now))
    }

    /// Releases `key`; a key that is not pressed reports nothing.
    public func release(_ key: DeviceKey) {
        report(key, state.withLock { $0.pressed.remove(key) != nil ? $0.handler : nil }, isPressed: false)
    }

    private func report(_ key: DeviceKey, _ handler: (@Sendable (DeviceStateChange) -> Void)?, isPressed: Bool) {
        handler?(.key(key, isPressed: isPressed, at: clock.now))
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
