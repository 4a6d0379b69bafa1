import Synchronization

/// The device's state: one value, changed by the ports, published to every subscriber.
package final class DeviceStateStore: Sendable {
    /// Takes each new state on the thread that brought it, before any stream has it: players stop sounds here. The version
    /// grows with each state. A state may be delivered after a newer one, by another thread: the observer ignores it.
    package typealias Observer = @Sendable (_ state: DeviceState, _ version: UInt64) -> Void

    private let runner: StateMachineRunner<DeviceStateMachine>
    private let published: NewestState
    private let observers: ObserverList<(DeviceState, UInt64)>
    private let changeObservers: ObserverList<DeviceStateChange>

    /// A store of a device of which nothing is known yet.
    ///
    /// - Parameters:
    ///   - hasSwitch: Whether the device has a switch: until its first position it counts as unreadable.
    ///   - report: Receives each event, in order.
    package init(hasSwitch: Bool = false, report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }) {
        let machine = DeviceStateMachine(hasSwitch: hasSwitch)
        let published = NewestState(machine.state)
        let observers = ObserverList<(DeviceState, UInt64)>()
        let changeObservers = ObserverList<DeviceStateChange>()
        self.published = published
        self.observers = observers
        self.changeObservers = changeObservers
        runner = StateMachineRunner(machine) { action, _ in
            switch action {
            case .tell(let change):
                changeObservers.tell(change)
            case .publish(let state, let version):
                observers.tell((state, version))
                published.send(state)
            case .report(let event):
                report(event)
            }
        }
    }

    /// The state now.
    package var state: DeviceState { runner.read { $0.state } }

    /// Why the switch cannot be read now; nil while it can, while a slider settles, and without a switch.
    package var switchProblem: RingerError? { runner.read { $0.switchProblem } }

    /// The states from now on, the current one first. A subscriber that is slow misses states in between, never the
    /// newest.
    package var states: DeviceStates { DeviceStates(newest: published) }

    /// Adds an observer for the store's lifetime, and delivers the current state to it before the call returns.
    package func observe(_ observer: @escaping Observer) {
        // Another thread may deliver a newer state between the two lines, or an older one after them: versions tell.
        observers.add { observer($0.0, $0.1) }
        let (state, version) = runner.read { ($0.state, $0.version) }
        observer(state, version)
    }

    /// What the sound hardware grants and says now.
    package var hardware: HardwareFigures { runner.read { $0.hardware } }

    /// Adds an observer of what the sources tell, for the store's lifetime. It is told on the thread that brought the
    /// change, before the new state is published.
    func observeChanges(_ observer: @escaping @Sendable (DeviceStateChange) -> Void) {
        changeObservers.add(observer)
    }

    /// Takes in what a switch tells.
    package func ringSilent(_ event: SwitchEvent, from source: String) {
        runner.send(.ringSilent(event, source: source))
    }

    /// Takes in a change of the rest of the state.
    package func change(_ change: DeviceStateChange, from source: String, at time: MonotonicTime) {
        runner.send(.change(change, source: source, at: time))
    }

    /// Takes in what somebody else's audio sessions are doing: those of another process, or of firmware that keeps its
    /// own.
    package func sessions(are activity: SessionActivity) {
        runner.send(.sessions(activity))
    }

    /// Takes in what the device's own audio sessions are doing.
    func ownSessions(are activity: SessionActivity) {
        runner.send(.ownSessions(activity))
    }

    /// Takes in where the sessions have the device's sound go.
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

/// Functions that are called with each value at once, in the order in which they were added.
final class ObserverList<Value: Sendable>: Sendable {
    private let observers = Mutex<[@Sendable (Value) -> Void]>([])

    func add(_ observer: @escaping @Sendable (Value) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func tell(_ value: Value) {
        for observer in observers.withLock({ $0 }) { observer(value) }
    }
}
