/// The purpose of a card's jack control, by its name.
///
/// Drivers use names such as "Headphone Jack", "Front Headphone Jack", "Headset Mic Jack" and "Mic Jack". A "Phantom
/// Jack" detects nothing and is always on. The corresponding kernel document is
/// Documentation/sound/designs/jack-controls.rst.
enum JackName {
    /// What is plugged into a jack.
    enum Kind: Sendable, Hashable {
        case headphone, microphone
    }

    /// What is plugged into the jack `name`; nil if that is neither of the two, or the name is not a jack's.
    ///
    /// A jack for both, such as "Headset Jack" or "Headphone Mic Jack", does not report which of the two it holds, and
    /// counts as headphones.
    static func kind(of name: String) -> Kind? {
        guard name.hasSuffix(" Jack"), !name.hasSuffix(" Phantom Jack") else { return nil }
        if name.contains(part: "Headphone") { return .headphone }
        if name.contains(part: "Mic") { return .microphone }
        return name.contains(part: "Headset") ? .headphone : nil
    }
}
