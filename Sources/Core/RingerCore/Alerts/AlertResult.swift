/// How an alert ended, and what was heard and felt of it.
public struct AlertResult: Sendable, Hashable {
    /// How it ended: `stopped`, with the cause `limited` where its time was over; or `failed`, where nothing was heard or felt
    /// because sound or motor failed in every round, or its sound can never be played and nothing can be felt.
    public var outcome: SoundOutcome
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
