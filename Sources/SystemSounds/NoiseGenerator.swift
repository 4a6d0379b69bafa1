/// White noise that is the same every time: a SplitMix64 sequence from a given seed.
struct NoiseGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next sample: evenly spread between -1 and 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(Int64(bitPattern: mixed) >> 11) * 0x1p-52
    }
}
