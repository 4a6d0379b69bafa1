/// What the motor does.
@nonexhaustive
public enum VibrationReport: Sendable, Hashable {
    /// It turns at this strength, 0 to 1.
    case on(strength: Float, at: MonotonicTime)
    /// It is off.
    case off(at: MonotonicTime)
    /// It was stopped because it reached the longest on-time.
    case limitReached(at: MonotonicTime)
    /// It could not be turned on.
    case onFailed(RingerError, at: MonotonicTime)
    /// It could not be turned off; `attempt` counts from 1. The next attempt follows within a second; for an error with
    /// the code `unreachable`, which is reported once, as soon as the motor's device is back. With the code
    /// `disconnected` the kernel has stopped the motor.
    case offFailed(RingerError, attempt: Int, at: MonotonicTime)
}
