@_exported import RingerPolicy

/// The device's time, and timers on it.
///
/// On hardware it is the event loop, on the kernel's monotonic clock; in a test it is a clock that the test moves.
/// Timers are functions, not sleeping tasks, so that a test that moves the clock knows that everything due was done.
public protocol DeviceClock: Sendable {
    /// The instant now, on `CLOCK_MONOTONIC`.
    var now: MonotonicTime { get }

    /// Calls `body` once, on the device's thread, at `deadline` or as soon after it as the system allows; never before
    /// it, and never from within this call.
    ///
    /// - Returns: The timer, to cancel it by. Dropping it does not cancel it.
    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer

    /// Runs `body`, which is code of the library's user, after those handed over before it, one at a time.
    ///
    /// On hardware it runs on the callback thread, which the first call starts; on a virtual clock, on the thread that
    /// moves the clock or calls the device, once no state machine is at work there. It may block: that delays the user
    /// code behind it and nothing else. The method may be called from any thread, and inside a state machine's action.
    func callBack(_ body: @escaping @Sendable () -> Void)
}

/// A timer that has not run yet.
public protocol DeviceTimer: Sendable {
    /// Forgets the timer. A body that is already running, or about to on another thread, still runs: state machines
    /// therefore number their timers and ignore a stale number.
    func cancel()
}
