/// One call that plays a system sound, with what was decided about it: what the rules between sounds need to know.
struct SystemSoundAttempt: Sendable, Equatable {
    /// Its number among all the player's sounds.
    var number: UInt64
    /// Which sound of which client it plays, as what.
    var sound: OutputQueue.Sound
    var request: SoundRequest
    var decision: Decision
    /// The samples, where it may be heard and has some.
    var samples: PCMBuffer?
    /// Whether the samples are yet to be decoded; nothing has failed until then.
    var isLoading = false
    /// How long it is, if that is known.
    var frames = 0
    /// How it is felt, where it may be.
    var pattern: VibrationPattern?
    /// Whether it was made from a completion.
    var isFromCompletion = false
    var fallback: SoundFallback?
    /// Why it cannot be heard.
    var failure: RingerError?
    var requestedAt: MonotonicTime
    /// Whether it is played to its end if the process ends.
    var outlivesProcess = false

    /// Whether there is something to be heard.
    var isHeard: Bool {
        decision.isHeard && failure == nil && (isLoading || samples.map { $0.frames > 0 } ?? false)
    }
    /// Whether there is something to be felt.
    var isFelt: Bool { decision.vibrates && pattern != nil }

    /// Whether its beginning ends sounds that were asked for before and are still being decoded: not where it waits for others,
    /// or is a round of an alert, which others interrupt.
    var replacesLoading: Bool { !isFromCompletion && sound.kind != .alertRound }

    /// Takes the decoded sound, or why there is none.
    mutating func take(_ sound: SoundSource.Loaded) {
        isLoading = false
        switch sound {
        case .success(let sound?):
            samples = sound.samples
            frames = sound.samples.frames
            fallback = sound.fallback ?? fallback
        case .success(nil): break
        case .failure(let error): failure = error
        }
    }

    /// Its outcome where nothing is heard and nothing felt.
    var outcomeAtOnce: SoundOutcome {
        if let failure { return .failed(failure) }
        // A sound without samples is over as soon as it begins.
        return decision.isHeard ? .finished : .silenced(by: decision.reason)
    }
}
