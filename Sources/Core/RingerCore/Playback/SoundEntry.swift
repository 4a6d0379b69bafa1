/// What of a sound is no value: its samples, its gate, its handle at the output, and who waits for its end. There is one from
/// the moment at which the sound can be stopped until it is over.
struct SoundEntry: Sendable {
    let sound: PCMBuffer
    var manner: SoundManner
    let gate = Gate()
    let monitor: PlaybackMonitor?
    let completion: @Sendable (SoundResult) -> Void
    /// How the sound ends if it was stopped before the player began it.
    var outcome: SoundOutcome?
    /// Whether the output has it: then it ends when the output says so.
    var isHandedOver = false
    var playback: (any Playback)?

    /// How many frames are to be played.
    var frames: Int64 { manner.frames(of: sound) }

    /// Why it cannot be played whatever the output; nil if it can.
    var refusal: RingerError? { frames > 0 ? nil : .withoutSound("sound", from: manner.first) }
    /// Why not all of it is played, or another sound; nil if all is.
    var fallback: SoundFallback? { SoundFallback(sound) }

    /// If the player does not know the sound yet, it ends as `outcome`, the first one given.
    mutating func stop(as outcome: SoundOutcome) {
        if self.outcome == nil { self.outcome = outcome }
    }
}

/// Receives the output's events of one sound.
struct PlaybackMonitor: Sendable {
    /// When the output reports its progress, measured from the first frame; nil for never.
    var reportAt: Duration?
    /// Called with each event, in order, inside a transition.
    var onEvent: @Sendable (PlaybackEvent) -> Void
}
