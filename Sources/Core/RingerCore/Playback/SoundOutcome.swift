/// The outcome of a sound, a vibration or an alert.
@nonexhaustive
public enum SoundOutcome: Sendable, Hashable {
    /// It was heard, or felt, to its end.
    case finished
    /// The policy silenced it, before or while it played.
    case silenced(by: Decision.Reason)
    /// It was stopped.
    case stopped(StopCause)
    /// It could not be played or felt, or failed meanwhile.
    case failed(RingerError)

    /// Who stopped it, or why.
    @nonexhaustive
    public enum StopCause: String, Sendable, Hashable, CaseIterable {
        /// The caller, or the cancellation of the task that awaits it; of a vibration the machine's sleep, too.
        case caller
        /// Another sound, vibration or alert replaced it.
        case replaced
        /// Its system sound ID was disposed of.
        case disposed
        /// It reached its time limit: the longest on-time of the motor, or the limit of its alert.
        case limited
        /// The announcement queue skipped it.
        case skipped
        /// It did not begin before its announcement expired.
        case expired
        /// Its session was deactivated.
        case sessionDeactivated
        /// Its session was removed, or the process that made the session ended.
        case sessionRemoved
        /// Its route disappeared: headphones were pulled out. It can be continued from its position.
        case oldDeviceUnavailable
        /// The output was released for another process.
        case outputReleased
        /// The device was closed.
        case closed
    }
}

/// The outcome of a sound, and its times.
public struct SoundResult: Sendable, Hashable {
    /// The outcome.
    public var outcome: SoundOutcome
    /// When it was requested.
    public var requestedAt: MonotonicTime
    /// When its first frame was accepted; nil if none was.
    public var startedAt: MonotonicTime?
    /// When it was over.
    public var endedAt: MonotonicTime
    /// How much of it was played.
    public var position: StreamPosition
    /// Why not all of the sound was played; nil if it was to be, or was silenced.
    public var fallback: SoundFallback?

    /// The time from the first frame, or from the request if no frame was accepted, to the end.
    public var elapsed: Duration { endedAt - (startedAt ?? requestedAt) }
}

extension SoundResult {
    /// The result of a sound of `frames` frames that did not begin; without frames where it was not decoded.
    package init(
        unplayed outcome: SoundOutcome, frames: Int64 = 0, requestedAt: MonotonicTime, endedAt: MonotonicTime
    ) {
        let position = StreamPosition(played: 0, total: frames)
        self.init(outcome: outcome, requestedAt: requestedAt, endedAt: endedAt, position: position)
    }
}

extension SoundOutcome: CustomStringConvertible {
    /// `finished`, `silenced(ringSilentSwitch)`, `stopped(caller)`, or `failed` with the error.
    public var description: String {
        switch self {
        case .finished: "finished"
        case .silenced(let reason): "silenced(\(reason.rawValue))"
        case .stopped(let cause): "stopped(\(cause.rawValue))"
        case .failed(let error): "failed(\(error))"
        }
    }
}

extension SoundOutcome {
    /// The outcome of a vibration, as the bus and the command have it: `finished`, `stopped`, `replaced`, `limited`, or `failed`
    /// with the error.
    package var vibrationWords: String {
        switch self {
        case .stopped(.replaced): "replaced"
        case .stopped(.limited): "limited"
        case .stopped: "stopped"
        default: description
        }
    }
}

/// How a vibration ended.
@available(*, deprecated, renamed: "SoundOutcome")
public typealias VibrationEnd = SoundOutcome

/// How an alert ended.
@available(*, deprecated, renamed: "SoundOutcome")
public typealias AlertOutcome = SoundOutcome
