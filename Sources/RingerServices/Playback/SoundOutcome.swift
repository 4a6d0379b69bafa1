/// What became of a sound.
@nonexhaustive
public enum SoundOutcome: Sendable, Hashable {
    /// It was heard to its end.
    case finished
    /// The rules did not let it be heard, or not to its end.
    case silenced(by: Decision.Reason)
    /// It was stopped.
    case stopped(StopCause)
    /// It could not be played, or not to its end.
    case failed(RingerError)

    /// Who stopped a sound.
    @nonexhaustive
    public enum StopCause: String, Sendable, Hashable, CaseIterable {
        /// The one who plays it, or the task that waits for it was cancelled.
        case caller
        /// Another sound took its place.
        case replaced
        /// Its ID was disposed of.
        case disposed
        /// It had lasted for as long as it may: the motor's turns, or the alert it belongs to.
        case limited
        /// The announcement queue went on to the next announcement.
        case skipped
        /// It was not begun within the time that its announcement allows.
        case expired
        /// Its session was deactivated.
        case sessionDeactivated
        /// Its session was removed, or the process that made it is gone.
        case sessionRemoved
        /// What it was heard from is gone: a headphone was pulled out. It may go on from its position.
        case oldDeviceUnavailable
        /// The output was released for another process.
        case outputReleased
        /// The device was closed.
        case closed
    }
}

/// What became of a sound, and when.
public struct SoundResult: Sendable, Hashable {
    /// What became of it.
    public var outcome: SoundOutcome
    /// When it was asked for.
    public var requestedAt: MonotonicTime
    /// When its first frame was accepted; nil where none was.
    public var startedAt: MonotonicTime?
    /// When it was over.
    public var endedAt: MonotonicTime
    /// How far it was played.
    public var position: StreamPosition

    /// From the first frame, or where there was none from the request, to the end.
    public var elapsed: Duration { endedAt - (startedAt ?? requestedAt) }
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
