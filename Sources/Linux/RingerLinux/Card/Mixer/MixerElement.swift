/// A mixer's element: which one has the volume of its card, and which of its steps is which volume.
enum MixerElement {
    /// One channel of a mixer's element.
    struct Channel: Sendable, Hashable {
        /// The volume in the element's steps.
        var value: Int
        /// Whether the playback switch is on.
        var isOn: Bool
    }

    /// The elements that control a whole device, in the order in which they are searched. Other elements with a
    /// playback volume follow in the mixer's order.
    static let preferred = ["Master", "Speaker", "PCM", "Headphone", "Digital", "Playback"]

    /// The search rank of the element `name`; the element with the lowest rank is used.
    static func rank(of name: String) -> Int {
        preferred.firstIndex(of: name) ?? preferred.count
    }

    /// The volume of an element, 0 to 1: the step of its loudest channel between `low` and `high`, linear in steps as
    /// the per cent of `amixer`.
    ///
    /// A channel that is switched off counts as 0. An element with a single step counts as 1.
    ///
    /// - Returns: The volume; nil if there are no channels.
    static func fraction(_ channels: [Channel], low: Int, high: Int) -> Float? {
        guard !channels.isEmpty else { return nil }
        let fractions = channels.map { channel -> Float in
            guard channel.isOn else { return 0 }
            guard high > low else { return 1 }
            let fraction = (Double(channel.value) - Double(low)) / (Double(high) - Double(low))
            return Float(min(max(fraction, 0), 1))
        }
        return fractions.max()
    }

    /// The step between `low` and `high` for a volume of 0 to 1: the nearest one. A volume above 0 is at least one step
    /// above the lowest.
    static func step(of volume: Float, low: Int, high: Int) -> Int {
        guard high > low, volume > 0 else { return low }
        guard volume < 1 else { return high }
        let (span, overflows) = high.subtractingReportingOverflow(low)
        let steps = overflows ? Int.max : span
        // Below 2^63: a volume below 1 is at most 1 - 2^-24.
        return low + min(max(Int((Double(volume) * Double(steps)).rounded()), 1), steps)
    }
}
