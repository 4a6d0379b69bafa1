/// How a call that played a system sound ended, and when.
public struct SystemSoundResult: Sendable, Hashable {
    /// The sound.
    public var sound: SystemSoundID
    /// The outcome: of the sound where it has one; else of its vibration.
    public var outcome: SoundOutcome
    /// How its vibration ended; nil if it had none, or the rules allowed none.
    public var vibration: SoundOutcome?
    /// Whether the motor turned. False if the vibration failed, or ended before it began.
    public var vibrated: Bool
    /// Why another sound was played instead; nil if none was.
    public var fallback: SoundFallback?
    /// When it was asked for.
    public var requestedAt: MonotonicTime
    /// When its first frame was accepted; nil if none was.
    public var startedAt: MonotonicTime?
    /// When sound and vibration were over, and the completion was due.
    public var endedAt: MonotonicTime
    /// How far it was played; without frames where it was not decoded.
    public var position: StreamPosition

    /// From the first frame, or where there was none from the request, to the end.
    public var elapsed: Duration { endedAt - (startedAt ?? requestedAt) }

    /// From the request to the completion.
    public var completedAfter: Duration { endedAt - requestedAt }

    /// How the vibration ended, of a call that is one.
    var endOfVibration: SoundOutcome { vibration ?? .stopped(.caller) }

    /// The failure as a C program sees it; nil if the sound did not fail.
    public var error: SystemSoundError? {
        if case .failed(let error) = outcome { SystemSoundError(error) } else { nil }
    }
}
