/// How a part of a sound begins, dies away and ends.
///
/// Beginning and end are raised-cosine ramps, so that neither clicks. Where both do not fit into the part, they are
/// shortened in proportion.
package struct SoundEnvelope: Sendable, Hashable {
    /// The time from nothing to full level.
    package let attack: Duration
    /// The time in which the level halves, from the beginning of the part; nil holds the level.
    package let halfLife: Duration?
    /// The time from what is left to nothing, at the end of the part.
    package let release: Duration

    /// Makes an envelope; the times must not be negative, and a half-life must be longer than nothing.
    package init(attack: Duration, halfLife: Duration? = nil, release: Duration) {
        precondition(attack >= .zero && release >= .zero, "ramps are not negative")
        precondition(halfLife.map { $0 > .zero } ?? true, "a half-life is longer than nothing")
        self.attack = attack
        self.halfLife = halfLife
        self.release = release
    }

    /// The plain envelope of signalling tones: full level between two ramps of 2 ms.
    package static let signal = SoundEnvelope(attack: .milliseconds(2), release: .milliseconds(2))
}
