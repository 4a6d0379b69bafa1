@_exported import RingerPolicy
import SystemPackage

/// The device's clock and its timers.
///
/// On hardware it is the event loop with the kernel's monotonic clock; in a test, a clock that the test moves. Timers
/// are functions, not sleeping tasks, so that all expired timers have run when a test has moved the clock.
public protocol DeviceClock: Sendable {
    /// The current time, on `CLOCK_MONOTONIC`.
    var now: MonotonicTime { get }

    /// How long the machine has slept since it was started, which ``now`` leaves out; zero by default. On hardware it is the
    /// difference of `CLOCK_BOOTTIME` and `CLOCK_MONOTONIC`, known to within a few milliseconds.
    var timeAsleep: Duration { get }

    /// Calls `body` once, on the device's thread, at `deadline` or as soon afterwards as the system allows; never
    /// before it, and never from within this call.
    ///
    /// - Returns: The timer, for cancelling. Dropping it does not cancel it.
    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer

    /// The wall clock: the time since the beginning of 1970, UTC. A person or the network sets it, forward or back. By default
    /// ``now``, as on a board whose clock was never set.
    var wallTime: Duration { get }

    /// Calls `body` once, on the device's thread, when the wall clock reaches `time`, or earlier when it is set or the machine
    /// wakes: the caller looks at ``wallTime``, and schedules anew. Never from within this call.
    func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer

    /// Runs `body`, code of the library's user, after the bodies handed over before it, one at a time.
    ///
    /// On hardware it runs on the callback thread, which the first call starts; on a virtual clock, on the thread that
    /// moves the clock or calls the device, once what follows from that has been done. It may block: that delays other
    /// user code and nothing else. May be called from any thread.
    func callBack(_ body: @escaping @Sendable () -> Void)

    /// Runs `body`, which reads files or computes for long, so that neither the caller nor the device's thread waits for it.
    ///
    /// On hardware it runs on a thread of its own, or as ``callBack(_:)`` does if the system has no thread left; on a virtual
    /// clock at once, on the caller's thread.
    func runAside(_ body: @escaping @Sendable () -> Void)

    /// The thread that touches the device's hardware; nil, the default, where that is the caller's of each method, as on a
    /// virtual clock.
    var thread: (any DeviceThread)? { get }
}

extension DeviceClock {
    /// Zero: for a machine that never sleeps.
    public var timeAsleep: Duration { .zero }

    /// The time since the origin of ``now``.
    public var wallTime: Duration { .nanoseconds(now.nanoseconds) }

    /// As ``schedule(at:_:)``.
    public func schedule(atWallTime time: Duration, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        schedule(at: MonotonicTime(nanoseconds: time.nanoseconds), body)
    }

    /// None.
    public var thread: (any DeviceThread)? { nil }

    /// Runs `body` on a thread of its own, or after user code if the system has no thread left.
    public func runAside(_ body: @escaping @Sendable () -> Void) {
        do throws(Errno) {
            try DetachedThread.start(stackSize: DetachedThread.workStackSize, body)
        } catch {
            callBack(body)
        }
    }
}

/// A thread that runs what it is given, one after another.
public protocol DeviceThread: Sendable {
    /// Whether the caller runs on it.
    var isCurrentThread: Bool { get }

    /// Calls `body` on it soon, after what was given to it before.
    func execute(_ body: @escaping @Sendable () -> Void)
}

/// A timer that has not run yet.
public protocol DeviceTimer: Sendable {
    /// Cancels the timer. A body that is running, or about to run on another thread, still runs: state machines look at the
    /// time.
    func cancel()
}
