import Synchronization

/// What makes two sounds the same, in the cache and where they are read.
enum SoundKey: Sendable, Hashable {
    case registered(client: UInt64, SystemSoundID)
    /// A predefined sound's file.
    case predefined(String)
    /// A file that is played as it is, however long, and is no system sound.
    case played(String)
    /// A file of an application, which is looked for each time.
    case contained(String, ApplicationContainer, otherwise: SystemSoundID)
    /// The call's own.
    case call(UInt64)

    /// Whether the sound is kept in the cache.
    var isCached: Bool {
        switch self {
        case .registered, .predefined: true
        case .played, .contained, .call: false
        }
    }

    /// What is read, for errors.
    var subject: String {
        switch self {
        case .registered(_, let id): "system sound \(id)"
        case .predefined(let path), .played(let path), .contained(let path, _, _): path
        case .call: "sound"
        }
    }
}

/// A cache of decoded sounds, up to a number of bytes; the least recently used are evicted first. Any thread.
final class SoundCache: Sendable {
    let limit: Int
    /// The least recently used first.
    private let sounds = Mutex<[(key: SoundKey, sound: PCMBuffer)]>([])

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes of samples in the cache.
    var bytes: Int { sounds.withLock { Self.bytes($0) } }

    subscript(key: SoundKey) -> PCMBuffer? {
        sounds.withLock { sounds in
            guard let index = sounds.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = sounds.remove(at: index)
            sounds.append(entry)
            return entry.sound
        }
    }

    /// Adds `sound`, unless it alone is larger than ``limit``.
    func keep(_ sound: PCMBuffer, for key: SoundKey) {
        change { sounds in
            sounds.removeAll { $0.key == key }
            if sound.bytes > limit { return }
            sounds.append((key, sound))
            while Self.bytes(sounds) > limit { sounds.removeFirst() }
        }
    }

    func remove(where isMeant: (SoundKey) -> Bool) {
        change { sounds in sounds.removeAll { isMeant($0.key) } }
    }

    /// Calls `body` under the lock, and frees the sounds that it removes outside of it.
    private func change(_ body: (inout [(key: SoundKey, sound: PCMBuffer)]) -> Void) {
        let before = sounds.withLock { sounds in
            defer { body(&sounds) }
            return sounds
        }
        withExtendedLifetime(before) {}
    }

    private static func bytes(_ sounds: [(key: SoundKey, sound: PCMBuffer)]) -> Int {
        sounds.reduce(0) { $0 + $1.sound.bytes }
    }
}
