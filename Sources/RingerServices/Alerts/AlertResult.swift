/// How an alert ended.
public enum AlertOutcome: Sendable, Hashable {
    /// It was stopped, by the caller, by another alert, or because the device was closed.
    case stopped(SoundOutcome.StopCause)
    /// Its time was over.
    case timedOut
    /// Neither sound nor motor worked.
    case failed(RingerError)
}

/// How an alert ended, and what became of it.
public struct AlertResult: Sendable, Hashable {
    /// How it ended.
    public var outcome: AlertOutcome
    /// How many rounds were begun.
    public var rounds: Int
    /// Whether any round was heard.
    public var sounded: Bool
    /// Whether any round was felt.
    public var vibrated: Bool
    /// Why another sound was played; nil where none was.
    public var fallback: SoundFallback?
    /// Why the sound could not be heard; the alert may have been felt all the same.
    public var soundError: RingerError?
    /// When it was asked for.
    public var startedAt: MonotonicTime
    /// When sound and motor rested for good.
    public var endedAt: MonotonicTime

    /// From the request to the end.
    public var elapsed: Duration { endedAt - startedAt }
}
