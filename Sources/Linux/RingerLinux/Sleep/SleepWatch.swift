import CLinux
import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// Reports that the device woke from sleep.
///
/// It does not poll: a timer on the real-time clock, set to never, is cancelled by the kernel when that clock is set
/// and when the machine wakes. Comparing the boot-time clock, which continues during sleep, with the monotonic clock,
/// which does not, distinguishes the two. On a board where no clock goes on during sleep, neither an RTC nor a counter of the
/// processor, the kernel cancels no timer, and no waking is reported. Any thread may use it; it reports on the event loop's. The corresponding kernel
/// interface is timerfd_create(2) with `TFD_TIMER_CANCEL_ON_SET`.
public final class SleepWatch: DeviceStateSource {
    /// "sleep".
    public let name = "sleep"

    private struct State: ~Copyable {
        var watch: EventLoop.WatchedDescriptor?
        var timer: CInt = -1
        var detector: SleepDetector
        var handler: (@Sendable (DeviceStateChange) -> Void)?
        var isStarted = false
    }

    private let loop: EventLoop
    private let read: @Sendable () -> ClockReading
    private let state: Mutex<State>

    /// A watch for waking, on `loop`.
    public convenience init(loop: EventLoop) {
        self.init(loop: loop, read: { .now })
    }

    /// A watch that reads the clocks with `read`.
    init(loop: EventLoop, read: @escaping @Sendable () -> ClockReading) {
        self.loop = loop
        self.read = read
        state = Mutex(State(detector: SleepDetector(read())))
    }

    deinit {
        let (watch, timer) = state.withLock { ($0.watch, $0.timer) }
        guard timer >= 0 else { return }
        loop.execute {
            watch?.cancel()
            Glibc.close(timer)
        }
    }

    /// Starts watching. Nothing is reported until the device wakes from a sleep.
    ///
    /// - Throws: ``RingerError`` if the system has no descriptor left.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in try self.begin(handler) }
    }

    /// Ends watching. May be called from the handler; elsewhere it waits for a running call of the handler, so the
    /// caller must not hold a lock that the handler takes.
    public func close() {
        loop.sync {
            self.state.withLock { state in
                state.isStarted = true
                state.handler = nil
                state.watch?.cancel()
                state.watch = nil
                if state.timer >= 0 { Glibc.close(state.timer) }
                state.timer = -1
            }
        }
    }

    // MARK: - On the loop's thread

    private func begin(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { throw RingerError(.invalid, "watch", name, detail: "it was watched already") }
        let timer = ringer_clock_watch(.max)
        guard timer >= 0 else { throw RingerError("watch the clock", name, .current) }
        let watch = loop.watch(timer, for: Int16(POLLIN)) { [weak self] _ in self?.clockChanged() }
        // Read the clocks after setting the timer: a sleep in between is then noticed by the timer or by both, never by
        // neither.
        let reading = read()
        state.withLock { state in
            state.timer = timer
            state.watch = watch
            state.detector = SleepDetector(reading)
            state.handler = handler
        }
    }

    private func clockChanged() {
        // Rearm before reporting, so that a sleep meanwhile is reported too. The read returns ECANCELED, not a count.
        var count: UInt64 = 0
        let timer = state.withLock { $0.timer }
        guard timer >= 0 else { return }
        _ = Glibc.read(timer, &count, MemoryLayout<UInt64>.size)
        let reading = read()
        let handler: (@Sendable (DeviceStateChange) -> Void)? = state.withLock { state in
            state.detector.slept(until: reading) == nil ? nil : state.handler
        }
        handler?(.wokeFromSleep)
    }
}
