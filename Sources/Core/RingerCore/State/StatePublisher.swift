/// Keeps the device's state, takes in the ports' changes, and publishes each new state to every subscriber. Any thread.
package final class StatePublisher: Sendable {
    /// Receives each new state inside the transition: the player stops sounds here.
    package typealias Observer = @Sendable (DeviceState) -> Void

    /// Who takes part in a change: the player and the sessions, once there are any.
    // SAFETY: used inside transitions of the core alone.
    private final class Observers: @unchecked Sendable {
        @exclusivity(unchecked) var player: Observer?
        @exclusivity(unchecked) var sessions: (@Sendable (DeviceStateChange) -> Void)?
        @exclusivity(unchecked) var light: Observer?
    }

    package let core: Core
    private let runner: StateMachineRunner<DeviceStateReducer>
    private let published: NewestState
    private let observers = Observers()

    /// - Parameters:
    ///   - core: The device's core.
    ///   - hasSwitch: Whether the device has a switch, which counts as unreadable until its first position.
    ///   - keptPosition: The kept position, when it ends by itself, and since when; nil if none was set.
    ///   - report: Receives what computes each event, in order.
    package init(
        in core: Core = Core(), hasSwitch: Bool = false,
        keptPosition: (SwitchPosition, until: Int64?, MonotonicTime)? = nil,
        report: @escaping @Sendable (() -> DeviceEvent?) -> Void = { _ in }
    ) {
        self.core = core
        let machine = DeviceStateReducer(
            hasSwitch: hasSwitch, keptPosition: keptPosition?.0, until: keptPosition?.until,
            at: keptPosition?.2 ?? MonotonicTime(nanoseconds: 0))
        let published = NewestState(machine.state)
        let wake: Core.Effect = { published.wake() }
        let observers = observers
        self.published = published
        runner = StateMachineRunner(machine, in: core) { action, _ in
            switch action {
            case .change(let change):
                observers.sessions?(change)
            case .publish(let state, let hasMoved):
                observers.player?(state)
                observers.light?(state)
                if published.set(state) { core.perform(wake) }
                if hasMoved { report { state.switchMoved } }
            case .report(let event):
                report { event }
            }
        }
    }

    /// The current state.
    package var state: DeviceState { runner.read { $0.state } }

    /// Why the switch cannot be read; nil while it can, while a slider settles, and without a switch.
    package var switchProblem: RingerError? { runner.read { $0.switchProblem } }

    /// The current state, then each new one. A slow subscriber may miss states in between, never the newest.
    package var states: DeviceStates { DeviceStates(newest: published) }

    /// Sets the device's one player, which gets the current state before the call returns.
    func observe(_ observer: @escaping Observer) {
        core.transition {
            observers.player = observer
            observer(state)
        }
    }

    /// Ends that: the player's output may refer to the publisher.
    func stopObserving() {
        _ = core.read { observers.player.take() }
    }

    /// The format and volume that the sound hardware reports now.
    package var hardware: HardwareFigures { runner.read { $0.hardware } }

    /// Sets the device's one observer of the sources' changes. It is called inside the transition, before the new state is
    /// published.
    func observeChanges(_ observer: @escaping @Sendable (DeviceStateChange) -> Void) {
        core.transition { observers.sessions = observer }
    }

    /// Sets who shows the state by a light, and gets the current state before the call returns.
    func observeForLight(_ observer: @escaping Observer) {
        core.transition {
            observers.light = observer
            observer(state)
        }
    }

    /// Takes in an event of the switch. Unless it is connected its name may have changed: the port reads that, outside the lock.
    package func ringSilent(_ event: SwitchEvent, from source: @autoclosure () -> String) {
        if case .position(let position, let time) = event {
            var isConnected = false
            runner.send { machine, _ in
                isConnected = machine.state.isSwitchConnected
                return isConnected ? machine.move(to: position, at: time) : nil
            }
            if isConnected { return }
        }
        runner.send(.ringSilent(event, source: source()))
    }

    /// Takes in a change of any other part of the state.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - source: The name of who reports it.
    ///   - index: Tells the device's state sources apart, of which several may have jacks.
    ///   - time: When.
    package func change(
        _ change: DeviceStateChange, from source: String, index: Int = 0, at time: MonotonicTime
    ) {
        runner.send(.change(change, source: source, index: index, at: time))
    }

    /// Takes in the activity of audio sessions outside of this device: another process's, or those that firmware keeps
    /// itself.
    package func sessions(are activity: SessionActivity) {
        runner.send(.sessions(activity))
    }

    /// Takes in the activity of the device's own audio sessions.
    func ownSessions(are activity: SessionActivity) {
        runner.send(.ownSessions(activity))
    }

    /// Takes in the route that the sessions chose.
    func setDeviceRoute(_ route: AudioRoute) {
        runner.send(.deviceRoute(route))
    }

    /// Sets whether the board has a receiver.
    func setHasReceiver(_ hasReceiver: Bool) {
        runner.send(.hasReceiver(hasReceiver))
    }

    /// Ends every stream of states.
    package func finish() {
        published.finish()
    }
}
