import Synchronization

/// A place for one timer: setting it cancels the one before.
final class TimerSlot: Sendable {
    private let clock: any DeviceClock
    private let timer = Mutex<(any DeviceTimer)?>(nil)

    init(_ clock: any DeviceClock) {
        self.clock = clock
    }

    /// Calls `body` at `time`, in place of whatever was to be called.
    func set(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        let next = clock.schedule(at: time, body)
        timer.withLock { timer in
            timer?.cancel()
            timer = next
        }
    }

    /// Forgets what was to be called.
    func cancel() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}
