import Synchronization

/// One timer, which effects set and cancel: until then the previous one may still expire. Any thread.
final class TimerSlot: Sendable {
    private let clock: any DeviceClock
    private let core: Core
    private let timer = Mutex<(any DeviceTimer)?>(nil)

    init(_ clock: any DeviceClock, _ core: Core) {
        self.clock = clock
        self.core = core
    }

    /// Calls `body` at `time`. Replaces the previous timer.
    func set(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        core.perform { [self] in replace(with: clock.schedule(at: time, body)) }
    }

    /// Cancels the timer.
    func cancel() {
        core.perform { [self] in replace(with: nil) }
    }

    private func replace(with next: (any DeviceTimer)?) {
        let before = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        before?.cancel()
    }
}
