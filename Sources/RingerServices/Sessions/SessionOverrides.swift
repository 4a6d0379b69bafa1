/// The overrides of a category that are properties, not options. Each reverts to off by a rule of its own, which
/// ``SessionProperty`` tells.
public struct SessionOverrides: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The set of these bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Other audio goes on. Property `cmix`.
    public static let mixWithOthers = SessionOverrides(rawValue: 1)
    /// Other audio goes on, more quietly. Property `duck`.
    public static let duckOthers = SessionOverrides(rawValue: 2)
    /// A call is heard from the speaker instead of the receiver. Property `cspk`.
    public static let defaultToSpeaker = SessionOverrides(rawValue: 4)
    /// Input may come from a Bluetooth hands-free device; the output stays. Property `cblu`.
    public static let bluetoothInput = SessionOverrides(rawValue: 8)
    /// Sound goes to the speaker whatever is plugged in. Property `ovrd` with `spkr`.
    public static let speaker = SessionOverrides(rawValue: 16)

    /// The overrides that `cause` reverts.
    static func reverted(by cause: SessionReverts) -> SessionOverrides {
        var set: SessionOverrides = []
        for property in SessionProperty.all where !property.revertsOn.isDisjoint(with: cause) {
            if let override = property.override { set.insert(override) }
        }
        return set
    }

    static let revertedByCategoryChange = reverted(by: .categoryChange)
    static let revertedByInterruption = reverted(by: .interruption)
    static let revertedByRouteChange = reverted(by: .routeChange)
}
