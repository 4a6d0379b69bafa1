/// One call that plays a system sound, as far as the rules between sounds must know it.
struct SystemSoundAttempt: Sendable, Equatable {
    /// Its number among all the player's sounds.
    var number: UInt64
    /// Who made the call.
    var client: UInt64
    var sound: SystemSoundID
    var request: SoundRequest
    var decision: Decision
    /// The samples, where it may be heard and has some.
    var samples: PCMBuffer?
    /// How long it is, where that is known.
    var frames = 0
    /// How it is felt, where it may be.
    var pattern: VibrationPattern?
    /// Whether it waits for the sound before it to end, rather than takes its place.
    var isPatient = false
    /// Whether the call was made from a completion or an observer.
    var isFromCompletion = false
    var fallback: SoundFallback?
    /// Why it cannot be heard.
    var failure: RingerError?
    var requestedAt: MonotonicTime

    /// Whether there is something to be heard.
    var isHeard: Bool { decision.isHeard && failure == nil && samples.map { $0.frames > 0 } ?? false }
    /// Whether there is something to be felt.
    var isFelt: Bool { decision.vibrates && pattern != nil }

    /// What becomes of it where nothing is heard and nothing felt.
    var outcomeAtOnce: SoundOutcome {
        if let failure { return .failed(failure) }
        // What is allowed and has nothing to play is over as soon as it begins.
        return decision.isHeard ? .finished : .silenced(by: decision.reason)
    }
}
