/// One call that plays a system sound: what was decided about it, how far it is, and its result.
struct SystemSoundAttempt: Sendable, Equatable {
    /// How far what is heard or felt of a call is.
    enum Part: Hashable {
        case none
        /// It waits for the speaker or the motor.
        case waiting
        case running
        case over

        var isUnderWay: Bool { self == .waiting || self == .running }
    }

    /// Its number among all the player's sounds.
    var number: UInt64
    /// Which sound of which client it plays, as what.
    var sound: SystemSoundQueue.Sound
    var request: SoundRequest
    var decision: Decision
    /// The sound, where it may be heard and is decoded.
    private(set) var loaded: SoundSource.Loaded?
    /// Whether the sound is yet to be decoded; nothing has failed until then.
    var isLoading = false
    /// How it is felt, where it may be.
    var pattern: VibrationPattern?
    /// Whether it was made from a completion.
    var isFromCompletion = false
    /// Whether it is played to its end if the process ends.
    var outlivesProcess = false
    /// What its result is if no more of it is heard or felt.
    var result: SystemSoundResult
    var heard = Part.none
    var felt = Part.none
    var stopCause: SoundOutcome.StopCause?
    /// All of it is over, and it completes at this time.
    var completesAt: MonotonicTime?

    /// The samples, where it may be heard and has some.
    var samples: PCMBuffer? { loaded?.sound }
    /// Whether there is something to be heard.
    var isHeard: Bool { decision.isHeard && (isLoading || samples.map { $0.frames > 0 } ?? false) }
    /// Whether there is something to be felt.
    var isFelt: Bool { decision.vibrates && pattern != nil }

    /// Whether its beginning ends sounds that were asked for before and are still being decoded: not where it waits for others,
    /// or is a round of an alert, which others interrupt.
    var replacesLoading: Bool { !isFromCompletion && sound.kind != .alertRound }

    /// Takes the decoded sound, or why there is none.
    mutating func take(_ sound: SoundSource.Loaded) {
        isLoading = false
        loaded = sound
        if let sound = sound.sound {
            result.position.total = Int64(sound.frames)
            result.fallback = SoundFallback(sound) ?? result.fallback
        }
        if let error = sound.error { result.outcome = .failed(error) }
    }
}
