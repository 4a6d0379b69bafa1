import Synchronization

/// Waits for the first position of the Ring/Silent switch: a slider reports one only after it has settled. Any thread.
final class FirstPosition: Sendable {
    /// How long a device waits for it, on its clock.
    static let limit = Duration.seconds(1)

    private struct State {
        var waiting: [@Sendable () -> Void] = []
    }

    /// Read at every edge of the switch.
    private let isOver = Atomic(false)
    private let state = Mutex(State())

    /// Takes an event of the switch: a position, or the report that it cannot be read, ends the wait.
    func take(_ event: SwitchEvent) {
        if isOver.load(ordering: .relaxed) { return }
        switch event {
        case .position, .lost: end()
        case .dropped, .found: break
        }
    }

    /// Ends the wait.
    func end() {
        let waiting = state.withLock { state in
            isOver.store(true, ordering: .releasing)
            defer { state.waiting = [] }
            return state.waiting
        }
        for body in waiting { body() }
    }

    /// Calls `body` once the wait has ended, at once if it has.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if isOver.load(ordering: .acquiring) { return true }
            state.waiting.append(body)
            return false
        }
        if hasEnded { body() }
    }
}

extension Device {
    /// Returns once the switch's first position is known, or it is known that the switch cannot be read; after 1 s at
    /// most, which is reported as ``DeviceEvent/degraded(_:at:)``. Returns at once without a switch.
    package func waitForSwitch() async {
        guard let name = switchName else { return }
        await withCheckedContinuation { continuation in
            let timer = clock.schedule(at: clock.now + FirstPosition.limit) { [firstPosition, reporter, clock] in
                let error = RingerError(
                    .timedOut, "read the first position", name, detail: "the slider has not settled for a second")
                reporter.report(.degraded(error, at: clock.now))
                firstPosition.end()
            }
            firstPosition.whenOver {
                timer.cancel()
                continuation.resume()
            }
        }
    }
}
