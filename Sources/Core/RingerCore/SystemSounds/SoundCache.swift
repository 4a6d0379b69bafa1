import Synchronization

/// A decoded sound, and why it is another one than the caller named.
struct LoadedSound: Sendable, Equatable {
    var samples: PCMBuffer
    var fallback: SoundFallback?
    /// Whether it is all of the sound. A file that is being rewritten has less of it for a moment.
    var isWhole = true

    /// Whether it would be the same if it were loaded again: then it may be kept.
    var isFinal: Bool { isWhole && fallback?.error?.mayPass != true }

    init(_ samples: PCMBuffer, fallback: SoundFallback? = nil) {
        self.samples = samples
        self.fallback = fallback
    }

    var bytes: Int { samples.samples.count * MemoryLayout<Int16>.size }
}

/// A cache of decoded sounds, up to a number of bytes; the least recently used are evicted first. Any thread.
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

    /// The bytes of samples in the cache.
    var bytes: Int { state.withLock { $0.bytes } }
    /// The number of sounds in the cache.
    var count: Int { state.withLock { $0.sounds.count } }

    subscript(key: Key) -> LoadedSound? {
        state.withLock { state in
            guard let entry = state.sounds[key] else { return nil }
            state.uses += 1
            state.sounds[key]?.used = state.uses
            return entry.sound
        }
    }

    /// Adds `sound`, unless it alone is larger than ``limit``.
    func keep(_ sound: LoadedSound, for key: Key) {
        evict { state, evicted in
            Self.remove(key, from: &state, into: &evicted)
            guard sound.bytes <= limit else { return }
            while state.bytes + sound.bytes > limit,
                let oldest = state.sounds.min(by: { $0.value.used < $1.value.used })
            {
                Self.remove(oldest.key, from: &state, into: &evicted)
            }
            state.uses += 1
            state.sounds[key] = (sound, state.uses)
            state.bytes += sound.bytes
        }
    }

    /// Removes the sounds of a client.
    func removeAll(of client: UInt64) {
        evict { state, evicted in
            for key in state.sounds.keys {
                if case .registered(client: client, _) = key { Self.remove(key, from: &state, into: &evicted) }
            }
        }
    }

    func remove(_ key: Key) {
        evict { Self.remove(key, from: &$0, into: &$1) }
    }

    /// Calls `body` under the lock, and frees the sounds that it evicts outside of it.
    private func evict(_ body: (inout State, inout [LoadedSound]) -> Void) {
        var evicted: [LoadedSound] = []
        state.withLock { body(&$0, &evicted) }
    }

    private static func remove(_ key: Key, from state: inout State, into evicted: inout [LoadedSound]) {
        guard let entry = state.sounds.removeValue(forKey: key) else { return }
        state.bytes -= entry.sound.bytes
        evicted.append(entry.sound)
    }
}
