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

        mutating func shut(as outcome: SoundOutcome) {
            gate.shut()
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    private var entries: [UInt64: Entry] = [:]

    /// The sounds that are not over.
    var sounds: [UInt64] { Array(entries.keys) }

    subscript(id: UInt64) -> Entry? { entries[id] }

    func add(_ id: UInt64, _ entry: Entry) {
        entries[id] = entry
    }

    /// Whether the sound is to be handed to the output: it is not over.
    func handOver(_ id: UInt64) -> Bool {
        entries[id]?.isHandedOver = true
        return entries[id] != nil
    }

    func set(_ playback: any Playback, of id: UInt64) {
        entries[id]?.playback = playback
    }

    func setVolume(_ volume: Float, of id: UInt64) {
        entries[id]?.manner.volume = volume
    }

    /// Shuts the gate of a sound. If the player does not know it yet, it ends as `outcome`, the first one given.
    func shut(_ id: UInt64, as outcome: SoundOutcome) {
        guard let index = entries.index(forKey: id) else { return }
        entries.values[index].shut(as: outcome)
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
