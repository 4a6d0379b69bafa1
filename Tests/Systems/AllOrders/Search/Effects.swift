import CSnapshot
@testable import RingerCore

/// What is known of effects that wait: their code, not what it captured, which the machines' values and the ports have too.
enum Effects {
    /// The code of effects that set timers or ask the motor, learned before the search.
    nonisolated(unsafe) private static var timed: [UInt] = []
    /// The code of effects that ask the sound hardware.
    nonisolated(unsafe) private static var asking: [UInt] = []
    /// The code of effects that were performed: how often, and whether that never changed anything.
    nonisolated(unsafe) private static var known: [UInt: (count: Int, isSilent: Bool)] = [:]
    nonisolated(unsafe) private static var silent: [UInt] = []
    nonisolated(unsafe) private static var isLearned = false

    /// How many kinds of effects there are, and how many of them touch nothing.
    static var counts: (all: Int, silent: Int) { (known.count, silent.count) }

    /// The address of the code of each effect. In an array, a function may be wrapped: the one inside is the first that the
    /// wrapper captured.
    static func code(_ effects: [Core.Effect], _ body: (UInt) -> Void) {
        effects.withUnsafeBytes { bytes in
            let words = bytes.assumingMemoryBound(to: UInt.self)
            for index in 0..<effects.count {
                // SAFETY: a context begins with two words of the runtime, and what it captured follows.
                let inner = UnsafePointer<UInt>(bitPattern: words[index * 2 + 1])?[2] ?? 0
                body(words[index * 2] ^ (snapshot_is_code(inner) ? inner : 0))
            }
        }
    }

    /// Whether one of them sets a timer or asks the motor.
    static func setTimers(_ effects: [Core.Effect]) -> Bool {
        var result = false
        code(effects) { if timed.contains($0) { result = true } }
        return result
    }

    /// How many of them ask the sound hardware.
    static func questions(_ effects: [Core.Effect]) -> Int {
        var count = 0
        code(effects) { if asking.contains($0) { count += 1 } }
        return count
    }

    /// Performs the oldest effect. Before the search, learns what its code does.
    static func perform(_ world: World) {
        guard let first = first(of: world.core.waiting) else { return }
        if isLearned {
            _ = world.core.performNext()
            return
        }
        let before = Fingerprint.of(world, seed: 0, withEffects: false)
        let asked = world.motor.asked
        let askedHardware = world.output.asked
        world.clock.touched = false
        _ = world.core.performNext()
        if world.clock.touched || world.motor.asked != asked, !timed.contains(first) { timed.append(first) }
        if world.output.asked != askedHardware, !asking.contains(first) { asking.append(first) }
        let isSilent = Fingerprint.of(world, seed: 0, withEffects: false) == before
        known[first, default: (0, true)].count += 1
        if !isSilent { known[first]?.isSilent = false }
    }

    /// Ends learning. What was performed often and never changed anything touches only what is not there, such as
    /// subscribers: in the search it is no step, but performed as soon as it is the oldest.
    static func learned() {
        isLearned = true
        silent = known.filter { $0.value.isSilent && $0.value.count >= 100 }.map(\.key)
    }

    /// Performs the effects that touch nothing.
    static func performSilent(_ world: World) {
        while isLearned, let first = first(of: world.core.waiting), silent.contains(first) {
            _ = world.core.performNext()
        }
    }

    private static func first(of effects: [Core.Effect]) -> UInt? {
        var first: UInt?
        code(effects) { first = first ?? $0 }
        return first
    }
}
