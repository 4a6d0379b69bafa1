/// The sound of a notification.
public struct NotificationSound: Sendable, Hashable {
    /// Which sound.
    public enum Kind: Sendable, Hashable {
        /// The system's default alert.
        case standard
        /// A file of the application, by name.
        case named(String)
    }

    /// Which sound.
    public var kind: Kind
    /// Whether it ignores the switch and do-not-disturb, if the application may send critical alerts.
    public var isCritical: Bool
    /// The volume, clamped to 0...1.
    public var volume: Float

    /// The system's default alert.
    public static let standard = standard(volume: 1)

    /// The system's default alert at `volume`.
    public static func standard(volume: Float) -> NotificationSound {
        NotificationSound(kind: .standard, isCritical: false, volume: volume)
    }

    /// A file of the application, in its `Library/Sounds` or its bundle.
    public static func named(_ name: String, volume: Float = 1) -> NotificationSound {
        NotificationSound(kind: .named(name), isCritical: false, volume: volume)
    }

    /// The system's default critical alert.
    public static func standardCritical(volume: Float = 1) -> NotificationSound {
        NotificationSound(kind: .standard, isCritical: true, volume: volume)
    }

    /// A file of the application as a critical alert.
    public static func criticalNamed(_ name: String, volume: Float = 1) -> NotificationSound {
        NotificationSound(kind: .named(name), isCritical: true, volume: volume)
    }
}
