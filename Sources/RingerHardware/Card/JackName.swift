/// What a card's jack control is for, by its name.
///
/// Drivers name them "Headphone Jack", "Front Headphone Jack", "Headset Mic Jack", "Mic Jack"; a "Phantom Jack" detects
/// nothing and is always on. The corresponding kernel document is Documentation/sound/designs/jack-controls.rst.
enum JackName {
    /// What is plugged into a jack.
    enum Kind: Sendable, Hashable {
        case headphone, microphone
    }

    /// What is plugged into the jack `name`; nil where it is neither, or no jack.
    ///
    /// A jack that takes either, such as "Headset Jack" or "Headphone Mic Jack", tells not what is in it, and counts as
    /// headphones.
    static func kind(of name: String) -> Kind? {
        guard name.hasSuffix(" Jack"), !name.hasSuffix(" Phantom Jack") else { return nil }
        if name.contains(part: "Headphone") { return .headphone }
        if name.contains(part: "Mic") { return .microphone }
        return name.contains(part: "Headset") ? .headphone : nil
    }
}
