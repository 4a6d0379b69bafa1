import Synchronization

/// The players that have played.
enum Players {
    private struct Entry: Sendable {
        weak var player: AVAudioPlayer?
    }

    private static let players = Mutex<[Entry]>([])

    static func add(_ player: AVAudioPlayer) {
        players.withLock { players in
            players.removeAll { $0.player == nil || $0.player === player }
            players.append(Entry(player: player))
        }
    }

    /// The session is heard: those that went on without a sound are heard again.
    static func areHeard() {
        for entry in players.withLock({ $0 }) { entry.player?.becomesAudible() }
    }

    /// The session's sounds were stopped.
    static func pause() {
        for entry in players.withLock({ $0 }) { if entry.player?.isPlaying == true { entry.player?.pause() } }
    }
}
