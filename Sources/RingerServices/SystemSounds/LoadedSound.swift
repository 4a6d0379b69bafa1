/// A sound that is decoded, and whether it is the one that was asked for.
struct LoadedSound: Sendable, Equatable {
    var samples: PCMBuffer
    var fallback: SoundFallback?

    init(_ samples: PCMBuffer, fallback: SoundFallback? = nil) {
        self.samples = samples
        self.fallback = fallback
    }

    var bytes: Int { samples.samples.count * MemoryLayout<Int16>.size }
}
