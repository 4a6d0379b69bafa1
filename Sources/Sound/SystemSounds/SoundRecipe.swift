/// A sound as instructions: which tones and bursts of noise, when, and how loud. ``SoundSynthesizer`` renders it.
package struct SoundRecipe: Sendable, Hashable {
    /// The longest sound a recipe may describe: what System Sound Services accept.
    package static let longestDuration: Duration = .seconds(30)

    /// The parts, in any order; they may overlap.
    package let parts: [SoundPart]
    /// How long the sound is: to the end of its last part, or longer where silence belongs to it.
    package let duration: Duration
    /// The amplitude of the loudest sample, to which the whole is scaled; nil leaves the parts' levels as written.
    package let peak: Double?

    /// Makes a recipe that lasts until its last part ends, or for `duration` if that is longer.
    ///
    /// No longer than 30 s; `peak` lies between 0 and ``SoundSynthesizer/ceiling``.
    package init(_ parts: [SoundPart], duration: Duration = .zero, peak: Double? = nil) {
        self.parts = parts
        self.duration = parts.reduce(duration) { max($0, $1.end) }
        self.peak = peak
        precondition(self.duration <= Self.longestDuration, "a system sound lasts at most 30 s")
        precondition(peak.map { (0...SoundSynthesizer.ceiling).contains($0) } ?? true, "the peak is over the ceiling")
    }
}
