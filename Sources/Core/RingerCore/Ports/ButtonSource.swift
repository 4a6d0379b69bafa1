import Synchronization

/// The push button that moves the kept position: reports ``DeviceStateChange/buttonPressed(_:at:)`` for each press that counts.
///
/// Its contact is read as a switch is, at silent while it is closed: so it bounces, disappears and comes back as one. It is used on
/// the device's thread, or that of the caller in virtual time.
package final class ButtonSource: DeviceStateSource {
    private struct State {
        var detector: PressDetector
        var order: PositionButton.Order
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var timer: (any DeviceTimer)?
        /// Whether the contact's state is known.
        var isFound = false
    }

    private let contact: any RingSilentSwitch
    private let clock: any DeviceClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - contact: The button's contact: at silent while the button is pressed.
    ///   - button: What its presses do.
    ///   - clock: The device's clock.
    package init(_ contact: any RingSilentSwitch, _ button: PositionButton, clock: any DeviceClock) {
        self.contact = contact
        self.clock = clock
        state = Mutex(State(detector: PressDetector(button), order: button.order))
    }

    /// "button evdev /dev/input/event0 (gpio-keys)".
    package var name: String { "button \(contact.name)" }

    package func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        state.withLock { $0.handler = handler }
        try contact.start { [weak self] event in self?.take(event) }
    }

    /// Changes what presses do. One that is under way counts no more.
    package func setButton(_ button: PositionButton) {
        send { state in
            let isDown = state.detector.isDown
            (state.detector, state.order) = (PressDetector(button), button.order)
            return .found(isDown: isDown)
        }
    }

    package func rereadAfterSleep() {
        contact.reread()
    }

    package func close() {
        contact.close()
        let timer = state.withLock { state in
            state.handler = nil
            return state.timer.take()
        }
        timer?.cancel()
    }

    private func take(_ event: SwitchEvent) {
        switch event {
        case .position(let position, let at):
            let isDown = position == .silent
            send { state in
                let wasFound = state.isFound
                state.isFound = true
                return wasFound ? .changed(isDown: isDown, at: at) : .found(isDown: isDown)
            }
        case .dropped(_, let at):
            send { _ in .missed(at: at) }
            report(.button(event))
        case .lost:
            send { state in
                state.isFound = false
                return .lost
            }
            report(.button(event))
        case .found: report(.button(event))
        }
    }

    private func send(_ event: (inout State) -> PressDetector.Event) {
        let (pressed, deadline) = state.withLock { state in
            state.timer.take()?.cancel()
            let event = event(&state)
            let pressed = state.detector.handle(event)
            return (pressed.map { DeviceStateChange.buttonPressed(state.order, at: $0) }, state.detector.deadline)
        }
        if let deadline { wait(until: deadline) }
        if let pressed { report(pressed) }
    }

    private func wait(until deadline: MonotonicTime) {
        let timer = clock.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            // A release from before may be in the kernel's queue still: it is read before a timer of a timer is called.
            set(
                clock.schedule(at: clock.now) { [weak self] in
                    guard let self else { return }
                    let now = clock.now
                    send { _ in .timer(at: now) }
                })
        }
        set(timer)
    }

    private func set(_ timer: any DeviceTimer) {
        state.withLock { $0.timer = timer }
    }

    private func report(_ change: DeviceStateChange) {
        let handler = state.withLock { $0.handler }
        handler?(change)
    }
}
