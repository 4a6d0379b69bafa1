/// What of a sound is no value: its samples, its gate, its handle at the output, and who waits for its end. An entry lives
/// from the moment at which the sound can be stopped until it is over.
// SAFETY: used inside transitions of the core alone, which makes one at a time.
final class SoundTable: @unchecked Sendable {
    struct Entry: Sendable {
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

        init(
            _ sound: PCMBuffer, _ manner: SoundManner, _ monitor: PlaybackMonitor?,
            _ completion: @escaping @Sendable (SoundResult) -> Void
        ) {
            self.sound = sound
            self.manner = manner
            self.monitor = monitor
            self.completion = completion
        }

        /// How many frames are to be played.
        var frames: Int { manner.frames(of: sound) }

        /// Shuts the gate. If the player does not know the sound yet, it ends as `outcome`, the first one given.
        mutating func shut(as outcome: SoundOutcome) {
            gate.shut()
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    private var entries: [UInt64: Entry] = [:]

    /// The sounds that are not over.
    var sounds: [UInt64] { Array(entries.keys) }

    subscript(id: UInt64) -> Entry? {
        get { entries[id] }
        set { entries[id] = newValue }
    }

    /// Shuts every gate.
    func shutAll(as outcome: SoundOutcome) {
        // In place: a loop over the entries would have the first change copy them all.
        var index = entries.startIndex
        while index != entries.endIndex {
            entries.values[index].shut(as: outcome)
            entries.formIndex(after: &index)
        }
    }

    func remove(_ id: UInt64) -> Entry? { entries.removeValue(forKey: id) }
}
