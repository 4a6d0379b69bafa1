import CLinux
import Glibc
import RingerServices
import Synchronization
import SystemPackage

/// Tells when the device woke from sleep.
///
/// Nothing polls: a timer on the clock of the day, set to never, is cancelled by the kernel when that clock is set and when
/// the machine wakes. Which of the two it was, the clock that goes on in sleep tells, compared with the one that does not.
/// The corresponding kernel interface is timerfd_create(2), with TFD_TIMER_CANCEL_ON_SET.
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

    /// One that reads the clocks with `read`.
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

    /// Begins to watch. Nothing is told until the device wakes: that it is awake goes without saying.
    ///
    /// - Throws: ``RingerError`` where the system has no descriptor left.
    public func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        try loop.syncThrowing { () throws(RingerError) in try self.begin(handler) }
    }

    /// Ends watching. It may be called from anywhere, the handler included; elsewhere it waits for a call of the handler
    /// that is under way, so the caller must hold no lock that the handler takes.
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
        let timer = ringer_clock_watch()
        guard timer >= 0 else { throw RingerError("watch the clock", name, .current) }
        let watch = loop.watch(timer, for: Int16(POLLIN)) { [weak self] _ in self?.clockChanged() }
        // The clocks after the timer: a sleep in between is told by the timer and not found by the clocks, or by both.
        let reading = read()
        state.withLock { state in
            state.timer = timer
            state.watch = watch
            state.detector = SleepDetector(reading)
            state.handler = handler
        }
    }

    private func clockChanged() {
        // The news first: what happens from here on is told anew. It is no number that is read: ECANCELED.
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
