import Synchronization

/// The sounds that the player has handed to the output, or is about to. Any thread.
final class VoiceTable: Sendable {
    private struct Voice: Sendable {
        var sound: PCMBuffer
        var monitor: PlaybackMonitor?
        var playback: (any Playback)?
    }

    private let voices = Mutex<[UInt64: Voice]>([:])

    func add(_ id: UInt64, _ sound: PCMBuffer, _ monitor: PlaybackMonitor?) {
        voices.withLock { $0[id] = Voice(sound: sound, monitor: monitor) }
    }

    /// Hands the sound to `output`.
    func begin(
        _ id: UInt64, on output: any SoundOutput, _ options: PlaybackOptions,
        _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        guard let voice = voices.withLock({ $0[id] }) else { return }
        var options = options
        options.reportAt = voice.monitor?.reportAt
        let playback = output.play(voice.sound, options, handler)
        voices.withLock { $0[id]?.playback = playback }
    }

    func playback(_ id: UInt64) -> (any Playback)? {
        voices.withLock { $0[id]?.playback }
    }

    func forward(_ event: PlaybackEvent, to id: UInt64) {
        voices.withLock { $0[id]?.monitor }?.onEvent(event)
    }

    func remove(_ id: UInt64) {
        voices.withLock { _ = $0.removeValue(forKey: id) }
    }
}
