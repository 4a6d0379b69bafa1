import RingerServices
import Synchronization

/// A Ring/Silent switch that the test sets.
public final class SimulatedSwitch: RingSilentSwitch, Sendable {
    private struct State {
        var position: SwitchPosition
        var handler: (@Sendable (SwitchEvent) -> Void)?
        var isConnected = true
        var startError: RingerError?
    }

    private let clock: any DeviceClock
    private let state: Mutex<State>

    /// "simulated switch".
    public let name = "simulated switch"

    /// A switch that stands at `position`.
    public init(clock: any DeviceClock, position: SwitchPosition = .ring) {
        self.clock = clock
        state = Mutex(State(position: position))
    }

    /// The position. Setting it tells whoever watches, at the clock's instant; setting the same again tells nothing.
    public var position: SwitchPosition {
        get { state.withLock { $0.position } }
        set {
            tell { state in
                guard state.position != newValue else { return [] }
                state.position = newValue
                return state.isConnected ? [.position(newValue, at: clock.now)] : []
            }
        }
    }

    /// Unplugs the switch.
    public func unplug() {
        tell { state in
            guard state.isConnected else { return [] }
            state.isConnected = false
            return [
                .lost(RingerError(.disconnected, "read the position", name), at: clock.now)
            ]
        }
    }

    /// Plugs the switch in again; it tells where it stands now.
    public func plug() {
        tell { state in
            guard !state.isConnected else { return [] }
            state.isConnected = true
            return [.found(at: clock.now), .position(state.position, at: clock.now)]
        }
    }

    /// Tells that `count` edges were dropped, as a kernel queue that overflowed does.
    public func drop(_ count: Int?) {
        tell { _ in [.dropped(count: count, at: clock.now)] }
    }

    /// Makes every later ``start(_:)`` throw `error`; nil makes it succeed again.
    public func failStart(with error: RingerError?) {
        state.withLock { $0.startError = error }
    }

    /// Begins to tell `handler`.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        let (error, position) = state.withLock { state in
            if state.startError == nil { state.handler = handler }
            return (state.startError, state.position)
        }
        if let error { throw error }
        handler(.position(position, at: clock.now))
    }

    /// Ends telling.
    public func close() {
        state.withLock { $0.handler = nil }
    }

    private func tell(_ change: (inout State) -> [SwitchEvent]) {
        let (handler, events) = state.withLock { ($0.handler, change(&$0)) }
        for event in events { handler?(event) }
    }
}
