import Ringer
import Synchronization

/// Registers at registrars, from any thread, without blocking.
protocol RegistrationClient: Sendable {
    /// Registers at the registrar of that number, and refreshes until it fails.
    func register(_ registrar: Int)
    func unregister(_ registrar: Int)
}

/// The handset's registration: carries out the actions of its ``RegistrationMachine``.
final class Registration: Sendable {
    private struct State {
        var machine: RegistrationMachine
        var client: (any RegistrationClient)?
        var timer: (any DeviceTimer)?
    }

    private let registrars: [String]
    private let clock: any DeviceClock
    private let report: @Sendable (RegistrationEvent, String) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - registrars: Their addresses, from the first.
    ///   - clock: The clock of the pauses.
    ///   - report: Called with each event and the registrar's address. It must not block, nor call the registration.
    init(
        _ registrars: [String], clock: any DeviceClock,
        report: @escaping @Sendable (RegistrationEvent, String) -> Void
    ) {
        self.registrars = registrars
        self.clock = clock
        self.report = report
        state = Mutex(State(machine: RegistrationMachine(rules: .init(registrars: registrars.count))))
    }

    /// Where the handset is registered; nil while it is not.
    var registrar: String? { state.withLock { $0.machine.current }.map { registrars[$0] } }

    /// The current state as a member of a JSON object: the registrar, or null.
    var status: [(String, String)] { [("registrar", registrar.map { Line.quoted($0) } ?? "null")] }

    /// Begins to register by the SIP side.
    func start(_ client: any RegistrationClient) {
        state.withLock { $0.client = client }
        send(.start)
    }

    /// Takes an event of the SIP side in.
    func take(_ event: TelephonyEvent) {
        switch event {
        case .registered(let registrar, let lifetime): send(.registered(registrar, for: lifetime, at: clock.now))
        case .registrationFailed(let registrar, let failure):
            send(.failed(registrar, failure, at: clock.now, chance: .random(in: 0...1)))
        default: break
        }
    }

    private func send(_ event: RegistrationMachine.Event) {
        // Under the lock, so that the actions of two events are performed in their order. None of them blocks.
        state.withLock { state in
            for action in state.machine.handle(event) { perform(action, &state) }
        }
    }

    private func perform(_ action: RegistrationMachine.Action, _ state: inout State) {
        switch action {
        case .register(let registrar): state.client?.register(registrar)
        case .unregister(let registrar): state.client?.unregister(registrar)
        case .setTimer(let delay):
            state.timer?.cancel()
            state.timer = clock.schedule(at: clock.now + delay) { [weak self] in self?.send(.due) }
        case .cancelTimer:
            state.timer?.cancel()
            state.timer = nil
        case .report(let event): report(event, registrars[event.registrar])
        }
    }
}
