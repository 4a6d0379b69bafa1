/// How an alert ended.
@nonexhaustive
public enum AlertOutcome: Sendable, Hashable {
    /// It was stopped: by the caller, by another alert, or because the device was closed.
    case stopped(SoundOutcome.StopCause)
    /// Its time was over.
    case timedOut
    /// Nothing was heard or felt until it ended, because sound or motor failed in every round; or its sound can never be
    /// played, and nothing can be felt.
    case failed(RingerError)
}

/// How an alert ended, and what was heard and felt of it.
public struct AlertResult: Sendable, Hashable {
    /// How it ended.
    public var outcome: AlertOutcome
    /// How many rounds were begun, failed ones included.
    public var rounds: Int
    /// Whether any round was heard.
    public var sounded: Bool
    /// Whether any round was felt.
    public var vibrated: Bool
    /// Why another sound was played; nil if none was.
    public var fallback: SoundFallback?
    /// Why the sound was not heard when it was last tried; nil if it was heard. The alert may have been felt all the
    /// same.
    public var soundError: RingerError?
    /// When it was asked for.
    public var startedAt: MonotonicTime
    /// When sound and motor had stopped for good.
    public var endedAt: MonotonicTime

    /// From the request to the end.
    public var elapsed: Duration { endedAt - startedAt }
}

extension AlertOutcome: CustomStringConvertible {
    /// `stopped(caller)`, `timedOut`, or `failed` with the error.
    public var description: String {
        switch self {
        case .stopped(let cause): "stopped(\(cause.rawValue))"
        case .timedOut: "timedOut"
        case .failed(let error): "failed(\(error))"
        }
    }
}
