/// A position of the Ring/Silent switch.
///
/// A two-position switch has ``ring`` and ``silent``; a three-position slider has ``vibrate`` between them.
public enum SwitchPosition: String, Sendable, Hashable, CaseIterable {
    /// Sounds are heard.
    case ring
    /// Sounds are silenced as at ``silent``; alerts vibrate.
    case vibrate
    /// Sounds that honour the switch are silenced; alerts vibrate if the user chose so.
    case silent

    /// Whether sounds that honour the switch are silenced here.
    public var silences: Bool { self != .ring }
}

extension SwitchPosition: Comparable {
    /// Whether `second` is more silent than `first`: ring, vibrate, silent.
    public static func < (first: SwitchPosition, second: SwitchPosition) -> Bool { first.order < second.order }

    private var order: Int {
        switch self {
        case .ring: 0
        case .vibrate: 1
        case .silent: 2
        }
    }
}
