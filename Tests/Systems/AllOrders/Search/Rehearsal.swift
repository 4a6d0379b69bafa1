import SeededGenerator

@testable import RingerCore

/// Random walks before the search: they make what the runtime makes once, such as metadata and constants, outside of the
/// memory that is restored, and learn which effects set timers.
enum Rehearsal {
    static func run(_ budget: Budget) {
        var random = SeededGenerator(seed: 1)
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
