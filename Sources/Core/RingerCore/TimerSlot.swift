import Synchronization

/// One timer: setting it cancels the previous one. Any thread.
final class TimerSlot: Sendable {
    private let clock: any DeviceClock
    private let timer = Mutex<(any DeviceTimer)?>(nil)

    init(_ clock: any DeviceClock) {
        self.clock = clock
    }

    /// Calls `body` at `time`. Replaces the previous timer.
    func set(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        let next = clock.schedule(at: time, body)
        timer.withLock { timer in
            timer?.cancel()
            timer = next
        }
    }

    /// Cancels the timer.
    func cancel() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}
