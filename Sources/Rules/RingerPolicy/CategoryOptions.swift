/// How a session treats other audio, the Ring/Silent switch, and where it plays. The lower 16 bits are Apple's.
public struct CategoryOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// The set of these bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Other audio goes on.
    public static let mixWithOthers = CategoryOptions(rawValue: 1)
    /// Other audio goes on, more quietly. It implies mixing.
    public static let duckOthers = CategoryOptions(rawValue: 2)
    /// Input may come from a Bluetooth hands-free device.
    public static let allowBluetooth = CategoryOptions(rawValue: 4)
    /// A call is heard from the speaker instead of the receiver.
    public static let defaultToSpeaker = CategoryOptions(rawValue: 8)
    /// Other audio goes on, spoken audio is interrupted. It contains ``mixWithOthers``.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 17)

    /// The Ring/Silent switch silences the session, the screen lock and the background do not: an announcement that is
    /// played while locked, yet not in a silent room.
    public static let honoursRingSilentSwitch = CategoryOptions(rawValue: 1 << 16)

    /// Whether other audio goes on beside the session.
    public var mixes: Bool { !isDisjoint(with: [.mixWithOthers, .duckOthers]) }

    /// Each option with its name, in the order of their bits.
    public static let named: [(name: String, option: CategoryOptions)] = [
        ("mixWithOthers", .mixWithOthers), ("duckOthers", .duckOthers), ("allowBluetooth", .allowBluetooth),
        ("defaultToSpeaker", .defaultToSpeaker),
        ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
        ("honoursRingSilentSwitch", .honoursRingSilentSwitch),
    ]
}
