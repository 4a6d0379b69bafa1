/// How a vibration ended.
@nonexhaustive
public enum VibrationEnd: Sendable, Hashable {
    /// The pattern was gone through.
    case finished
    /// The caller stopped it.
    case stopped
    /// Another vibration took its place.
    case replaced
    /// The motor had turned for as long as it may.
    case limited
    /// The motor failed.
    case failed(RingerError)
}

extension VibrationEnd: CustomStringConvertible {
    /// `finished`, `stopped`, `replaced`, `limited`, or `failed` with the error.
    public var description: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .replaced: "replaced"
        case .limited: "limited"
        case .failed(let error): "failed(\(error))"
        }
    }
}

/// What the motor does, as it does it.
@nonexhaustive
public enum VibrationReport: Sendable, Hashable {
    /// It turns, at this strength.
    case on(strength: Float, at: MonotonicTime)
    /// It rests.
    case off(at: MonotonicTime)
    /// It was stopped because it had turned for the longest on-time.
    case limitReached(at: MonotonicTime)
    /// It could not be turned on.
    case onFailed(RingerError, at: MonotonicTime)
    /// It could not be turned off. That is tried again until it succeeds: within a second, or where the error's code is
    /// `unreachable`, which is reported once, as soon as the motor's device is back. With the code `disconnected` the
    /// kernel has stopped the motor.
    case offFailed(RingerError, attempt: Int, at: MonotonicTime)
}
