/// What a mixer's numbers say about how loud sound is.
enum PlaybackVolume {
    /// One channel of a mixer's element.
    struct Channel: Sendable, Hashable {
        /// Its volume, in the element's own steps.
        var value: Int
        /// Whether its playback switch lets sound through.
        var isOn: Bool
    }

    /// The elements that stand for a whole device, the one to look for first. Others with a playback volume come after
    /// them, in the mixer's order.
    static let preferred = ["Master", "Speaker", "PCM", "Headphone", "Digital", "Playback"]

    /// How far down the element `name` stands in what is looked for; the lowest is the one to use.
    static func rank(of name: String) -> Int {
        preferred.firstIndex(of: name) ?? preferred.count
    }

    /// The volume of an element, 0 to 1: its loudest channel's place between `low` and `high`, evenly by the element's
    /// own steps, as `amixer` shows it in per cent.
    ///
    /// A channel that is switched off counts as 0. An element that has one step stands at its top.
    ///
    /// - Returns: The volume; nil where there are no channels.
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
}
