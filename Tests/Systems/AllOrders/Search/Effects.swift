import CSnapshot
@testable import RingerCore

/// What is known of effects that wait, and of other closures: their code, and the numbers, times and rules that it
/// captured. Objects that it captured are not followed: the machines' values and the ports say what is in them.
enum Effects {
    /// The code of effects that set timers or ask the motor, learned before the search.
    nonisolated(unsafe) private static var timed: [UInt] = []
    /// The code of effects that ask the sound hardware.
    nonisolated(unsafe) private static var asking: [UInt] = []
    /// The code of effects that were performed: how often, and whether that never changed anything.
    nonisolated(unsafe) private static var known: [UInt: (count: Int, isSilent: Bool)] = [:]
    nonisolated(unsafe) private static var silent: [UInt] = []
    nonisolated(unsafe) private static var isLearned = false

    /// How many kinds of effects there are, how many of them touch nothing, and how many kinds of closures that wait have
    /// captured numbers or times.
    static var counts: (all: Int, silent: Int, numbered: Int) {
        (known.count, silent.count, captures.values.count { $0.contains(where: \.isNumber) })
    }

    /// The address of the code of each effect. In an array, a function may be wrapped: the one inside is the first that the
    /// wrapper captured.
    static func code<Function>(_ effects: [Function], _ body: (UInt) -> Void) {
        effects.withUnsafeBytes { bytes in
            let words = bytes.assumingMemoryBound(to: UInt.self)
            for index in 0..<effects.count {
                // SAFETY: a context begins with two words of the runtime, and what it captured follows.
                let inner = UnsafePointer<UInt>(bitPattern: words[index * 2 + 1])?[2] ?? 0
                body(words[index * 2] ^ (snapshot_is_code(inner) ? inner : 0))
            }
        }
    }

    /// A number, a time or rules that a closure captured, or a closure.
    private struct Capture {
        enum Kind {
            case number(bytes: Int), time, rules, closure
        }

        var kind: Kind
        var offset: Int

        var isNumber: Bool { if case .closure = kind { false } else { true } }
    }

    /// What closures captured, by the metadata of their contexts.
    nonisolated(unsafe) private static var captures: [UInt: [Capture]] = [:]

    /// The numbers and rules that each effect captured, and those of closures that it captured; times from `now`.
    static func captured<Function>(_ effects: [Function], _ now: MonotonicTime, _ body: (UInt64) -> Void) {
        effects.withUnsafeBytes { bytes in
            let words = bytes.assumingMemoryBound(to: UInt.self)
            for index in 0..<effects.count { captured(words[index * 2 + 1], now, body) }
        }
    }

    private static func captured(_ context: UInt, _ now: MonotonicTime, _ body: (UInt64) -> Void) {
        // SAFETY: the context of a closure that is retained, in which values of these sizes lie at these offsets.
        guard let place = UnsafeRawPointer(bitPattern: context) else { return }
        for capture in captures(place) {
            switch capture.kind {
            case .number(let bytes):
                var value: (UInt64, UInt64) = (0, 0)
                let source = UnsafeRawBufferPointer(start: place + capture.offset, count: bytes)
                withUnsafeMutableBytes(of: &value) { $0.copyMemory(from: source) }
                body(value.0)
                body(value.1)
            case .time:
                let time = (place + capture.offset).load(as: MonotonicTime.self)
                body(UInt64(bitPattern: time.nanoseconds - now.nanoseconds))
            case .rules:
                body(UInt64(bitPattern: Int64((place + capture.offset).load(as: PlayerRules.self).hashValue)))
            case .closure:
                captured((place + capture.offset).load(as: (UInt, UInt).self).1, now, body)
            }
        }
    }

    private static func captures(_ context: UnsafeRawPointer) -> [Capture] {
        let metadata = context.load(as: UInt.self)
        if let known = captures[metadata] { return known }
        let found = withUnsafeTemporaryAllocation(of: snapshot_capture.self, capacity: 64) { all in
            let count = snapshot_captures(context, all.baseAddress, all.count)
            return all[..<count].compactMap { capture -> Capture? in
                let offset = Int(capture.offset)
                if capture.is_function { return Capture(kind: .closure, offset: offset) }
                func isCaptured(_ type: Any.Type) -> Bool {
                    capture.type == unsafeBitCast(type, to: UnsafeRawPointer.self)
                }
                if isCaptured(MonotonicTime.self) { return Capture(kind: .time, offset: offset) }
                if isCaptured(PlayerRules.self) { return Capture(kind: .rules, offset: offset) }
                // An optional number has 9 bytes.
                let isNumber = capture.is_trivial && (1...16).contains(capture.size)
                return isNumber ? Capture(kind: .number(bytes: Int(capture.size)), offset: offset) : nil
            }
        }
        captures[metadata] = found
        return found
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
