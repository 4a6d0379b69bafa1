import Synchronization

/// Whether one sound may be heard, how loud, and how often: atomic words that the player sets and the sound thread obeys.
///
/// It is made with the sound, and never opened again. A sound whose gate is shut before it began is never heard, whatever
/// thread is held up where; one that had begun ends by itself within a period. Any thread; no call waits.
package final class Gate: Sendable {
    private static let open: UInt64 = 1
    private static let begun: UInt64 = 2
    private static let flags: UInt64 = 3
    private static let longestRamp: Int64 = 0x3fff_ffff

    /// From the highest bits: the gain, 32 of them; the time of its change in microseconds, 30; the flags.
    private let word: Atomic<UInt64>
    private let wantedRounds = Atomic(0)

    /// An open gate of a sound that has not begun.
    package init(gain: Float = 1) {
        word = Atomic(Self.bits(of: gain) | Self.open)
    }

    /// Begins the sound, or continues it, directly before its stream starts.
    ///
    /// - Returns: Whether it may begin: the gate is open.
    package func begin() -> Bool {
        change { $0 | Self.begun } != nil
    }

    /// Shuts the gate.
    ///
    /// - Returns: Whether the sound had begun. If not, it never will.
    @discardableResult
    package func shut() -> Bool {
        word.bitwiseAnd(~Self.open, ordering: .acquiringAndReleasing).oldValue & Self.begun != 0
    }

    /// The gain that the sound is to have, 0 to 1; nil if the gate is shut.
    package var level: Float? {
        let word = word.load(ordering: .acquiring)
        return word & Self.open == 0 ? nil : Float(bitPattern: UInt32(word >> 32))
    }

    /// The same, and how long the change to that gain takes.
    package var change: (level: Float, ramp: Duration)? {
        let word = word.load(ordering: .acquiring)
        guard word & Self.open != 0 else { return nil }
        return (Float(bitPattern: UInt32(word >> 32)), .microseconds(Int64(word >> 2) & Self.longestRamp))
    }

    /// How often the sound is to be played in all; 0 as long as that has not changed.
    package var rounds: Int {
        get { wantedRounds.load(ordering: .acquiring) }
        set { wantedRounds.store(newValue, ordering: .releasing) }
    }

    /// Whether the sound may be heard.
    package var isOpen: Bool { word.load(ordering: .acquiring) & Self.open != 0 }

    /// Sets the gain of a sound whose gate is open, which is reached within `duration`.
    package func setGain(_ gain: Float, over duration: Duration = SoundPlayer.gainRamp) {
        let time = UInt64(min(max(duration.nanoseconds / 1_000, 0), Self.longestRamp))
        change { Self.bits(of: gain) | time << 2 | $0 & Self.flags }
    }

    /// Changes the word of an open gate; nil if it is shut.
    @discardableResult
    private func change(_ change: (UInt64) -> UInt64) -> UInt64? {
        var known = word.load(ordering: .acquiring)
        while known & Self.open != 0 {
            let result = word.compareExchange(
                expected: known, desired: change(known), ordering: .acquiringAndReleasing)
            if result.exchanged { return known }
            known = result.original
        }
        return nil
    }

    /// NaN, which would never equal itself, becomes 0.
    private static func bits(of gain: Float) -> UInt64 { UInt64((gain.isNaN ? 0 : gain).bitPattern) << 32 }
}

extension Gate: Hashable {
    package static func == (one: Gate, other: Gate) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
