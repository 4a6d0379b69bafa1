@testable import RingerCore

/// Random walks before the search: they make what the runtime makes once, such as metadata and constants, outside of the
/// memory that is restored, and learn which effects set timers.
enum Rehearsal {
    static func run(_ budget: Budget) {
        var random = SplitMix(state: 1)
        for _ in 0..<10_000 {
            guard let world = World(budget) else { return }
            for _ in 0..<30 {
                var steps: [Step] = []
                world.steps { steps.append($0) }
                if steps.isEmpty { break }
                world.take(steps[Int(random.next() % UInt64(steps.count))])
                _ = world.broken()
            }
            _ = Fingerprint.of(world, seed: 0)
            _ = world.runOut()
        }
        Effects.learned()
    }
}

/// A generator of which each run gives the same numbers.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
