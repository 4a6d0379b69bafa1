import CLinux
import Glibc
import Synchronization

extension EventLoop {
    /// The wall clock. The corresponding C function is `clock_gettime` with `CLOCK_REALTIME`.
    public var wallTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Calls `body` when the wall clock reaches `time`, or is set, or the machine wakes. Where the system has no descriptor left,
    /// within a minute: the caller looks then, and asks again. The corresponding kernel interface is timerfd_create(2) with
    /// `TFD_TIMER_CANCEL_ON_SET`.
    public func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        let descriptor = ringer_clock_watch(max(1, time.nanoseconds))
        guard descriptor >= 0 else { return schedule(at: now + min(.seconds(60), max(.zero, time - wallTime)), body) }
        let timer = WallTimer(descriptor, on: self, body)
        timer.start()
        return timer
    }
}

/// A timer of the wall clock, which the loop keeps until it is due or cancelled.
private final class WallTimer: DeviceTimer {
    private struct State: Sendable {
        var watch: EventLoop.WatchedDescriptor?
        var isOver = false
    }

    private let descriptor: CInt
    private weak let loop: EventLoop?
    private let body: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ descriptor: CInt, on loop: EventLoop, _ body: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.body = body
    }

    deinit { close(descriptor) }

    func start() {
        state.withLock { $0.watch = loop?.watch(descriptor, for: Int16(POLLIN)) { [self] _ in isDue() } }
    }

    func cancel() {
        guard let loop, !loop.isCurrentThread else {
            end()
            return
        }
        state.withLock { $0.isOver = true }
        // The loop's thread may be waiting for the descriptor.
        loop.execute { [self] in end() }
    }

    private func isDue() {
        if !end() { body() }
    }

    /// Stops watching.
    ///
    /// - Returns: Whether it was over already.
    @discardableResult
    private func end() -> Bool {
        let before = state.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
        before.watch?.cancel()
        return before.isOver
    }
}
