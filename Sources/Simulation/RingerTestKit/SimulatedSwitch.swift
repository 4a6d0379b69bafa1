import RingerCore
import Synchronization

/// A Ring/Silent switch that the test sets. Any thread.
public final class SimulatedSwitch: RingSilentSwitch, Sendable {
    private struct State {
        var position: SwitchPosition
        /// The position before it was moved without a report.
        var lastReported: SwitchPosition?
        var handler: (@Sendable (SwitchEvent) -> Void)?
        /// Why the switch cannot be read; nil while it can.
        var problem: RingerError?
        var settleTime = Duration.zero
        /// Whether the slider has settled since it was started or plugged in.
        var isSettled = false
        var startError: RingerError?
    }

    private let clock: any DeviceClock
    private let state: Mutex<State>

    /// "simulated switch".
    public let name = "simulated switch"

    /// A switch at `position`.
    public init(clock: any DeviceClock, position: SwitchPosition = .ring) {
        self.clock = clock
        state = Mutex(State(position: position))
    }

    /// The position. Setting it reports an event at the clock's time; setting the same position again reports nothing.
    public var position: SwitchPosition {
        get { state.withLock { $0.position } }
        set {
            report { state in
                guard state.position != newValue else { return [] }
                state.lastReported = nil
                state.position = newValue
                return state.problem == nil && state.isSettled ? [.position(newValue, at: clock.now)] : []
            }
        }
    }

    /// Moves the switch without a report, as while the machine sleeps; ``reread()`` reports it.
    public func moveUnnoticed(to position: SwitchPosition) {
        state.withLock { state in
            state.lastReported = state.lastReported ?? state.position
            state.position = position
        }
    }

    /// Reports a position that ``moveUnnoticed(to:)`` set.
    public func reread() {
        report { state in
            guard let old = state.lastReported.take(), old != state.position else { return [] }
            return state.problem == nil && state.isSettled ? [.position(state.position, at: clock.now)] : []
        }
    }

    /// How long after its start the switch reports its first position, as a slider that has to settle; zero, the
    /// default, for at once. Applies from the next start on.
    public var settleTime: Duration {
        get { state.withLock { $0.settleTime } }
        set { state.withLock { $0.settleTime = newValue } }
    }

    /// Unplugs the switch.
    public func unplug() {
        becomeUnreadable(RingerError(.disconnected, "read the position", name))
    }

    /// Plugs the switch in again; it reports its current position.
    public func plug() {
        becomeReadable()
    }

    /// Makes the switch unreadable, as missing permission does. Before the first position this sets
    /// `DeviceState.isSwitchUnreadable`.
    public func becomeUnreadable(_ problem: RingerError? = nil) {
        let problem = problem ?? RingerError(.permissionDenied, "open", name)
        report { state in
            guard state.problem == nil else { return [] }
            state.problem = problem
            return [.lost(problem, at: clock.now)]
        }
    }

    /// Makes the switch readable again; it reports its current position.
    public func becomeReadable() {
        report { state in
            guard state.problem != nil else { return [] }
            state.problem = nil
            state.isSettled = true
            return [.found(at: clock.now), .position(state.position, at: clock.now)]
        }
    }

    /// Reports that `count` edges were dropped, as a kernel queue that overflowed does.
    public func drop(_ count: Int?) {
        report { _ in [.dropped(count: count, at: clock.now)] }
    }

    /// Makes every later ``start(_:)`` throw `error`; nil makes it succeed again.
    public func failStart(with error: RingerError?) {
        state.withLock { $0.startError = error }
    }

    /// Starts reporting to `handler`.
    public func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        let (error, problem, settleTime) = state.withLock { state in
            if state.startError == nil {
                state.handler = handler
                state.isSettled = false
            }
            return (state.startError, state.problem, state.settleTime)
        }
        if let error { throw error }
        if let problem { return handler(.lost(problem, at: clock.now)) }
        guard settleTime > .zero else { return settle() }
        _ = clock.schedule(at: clock.now + settleTime) { [weak self] in self?.settle() }
    }

    /// Ends reporting.
    public func close() {
        state.withLock { $0.handler = nil }
    }

    private func settle() {
        report { state in
            guard state.problem == nil, !state.isSettled else { return [] }
            state.isSettled = true
            return [.position(state.position, at: clock.now)]
        }
    }

    private func report(_ change: (inout State) -> [SwitchEvent]) {
        let (handler, events) = state.withLock { ($0.handler, change(&$0)) }
        for event in events { handler?(event) }
    }
}
