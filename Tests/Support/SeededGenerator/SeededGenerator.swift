/// Random numbers that are the same for the same seed on every machine: SplitMix64. Source: Steele, Lea, Flood, "Fast Splittable
/// Pseudorandom Number Generators".
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number below `bound`.
    package mutating func below(_ bound: Int) -> Int {
        // The bounds are tiny, so that the bias of a remainder does not matter.
        Int(truncatingIfNeeded: next() >> 33) % bound
    }

    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
