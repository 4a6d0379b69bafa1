import Synchronization

/// Decoded sounds that are kept so that playing them again is quick: as many bytes of samples as allowed, those that
/// were used longest ago given up first.
final class SoundCache: Sendable {
    enum Key: Sendable, Hashable {
        case registered(client: UInt64, SystemSoundID)
        /// A predefined sound's file.
        case predefined(String)
    }

    private struct State {
        var sounds: [Key: (sound: LoadedSound, used: UInt64)] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes of samples that are kept.
    var bytes: Int { state.withLock { $0.bytes } }
    /// How many sounds are kept.
    var count: Int { state.withLock { $0.sounds.count } }

    subscript(key: Key) -> LoadedSound? {
        state.withLock { state in
            guard let entry = state.sounds[key] else { return nil }
            state.uses += 1
            state.sounds[key]?.used = state.uses
            return entry.sound
        }
    }

    /// Keeps `sound`, unless it alone is larger than what may be kept.
    func keep(_ sound: LoadedSound, for key: Key) {
        // What is given up is freed outside the lock.
        let givenUp: [LoadedSound] = state.withLock { state in
            var givenUp: [LoadedSound] = []
            Self.remove(key, from: &state, into: &givenUp)
            guard sound.bytes <= limit else { return givenUp }
            while state.bytes + sound.bytes > limit,
                let oldest = state.sounds.min(by: { $0.value.used < $1.value.used })
            {
                Self.remove(oldest.key, from: &state, into: &givenUp)
            }
            state.uses += 1
            state.sounds[key] = (sound, state.uses)
            state.bytes += sound.bytes
            return givenUp
        }
        _ = givenUp
    }

    /// Gives up what is kept for a client.
    func removeAll(of client: UInt64) {
        let givenUp: [LoadedSound] = state.withLock { state in
            var givenUp: [LoadedSound] = []
            for key in state.sounds.keys {
                if case .registered(client: client, _) = key { Self.remove(key, from: &state, into: &givenUp) }
            }
            return givenUp
        }
        _ = givenUp
    }

    func remove(_ key: Key) {
        let givenUp: [LoadedSound] = state.withLock { state in
            var givenUp: [LoadedSound] = []
            Self.remove(key, from: &state, into: &givenUp)
            return givenUp
        }
        _ = givenUp
    }

    private static func remove(_ key: Key, from state: inout State, into givenUp: inout [LoadedSound]) {
        guard let entry = state.sounds.removeValue(forKey: key) else { return }
        state.bytes -= entry.sound.bytes
        givenUp.append(entry.sound)
    }
}
