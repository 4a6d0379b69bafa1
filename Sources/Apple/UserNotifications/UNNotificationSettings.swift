// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

/// Whether the program may notify.
public enum UNAuthorizationStatus: Int, Sendable {
    /// What the user, or the system, said.
    case notDetermined, denied, authorized, provisional, ephemeral
}

/// Whether a way of notifying is switched on.
public enum UNNotificationSetting: Int, Sendable {
    /// What is switched.
    case notSupported, disabled, enabled
}

/// What notifications may do: they sound, and nothing is shown. Linux asks nobody. Any thread.
public final class UNNotificationSettings: NSObject, Sendable {
    /// Whether the program may notify.
    public let authorizationStatus = UNAuthorizationStatus.authorized
    /// Whether sounds are switched on.
    public let soundSetting = UNNotificationSetting.enabled
    /// Whether texts are shown.
    public let alertSetting = UNNotificationSetting.notSupported
    /// Whether numbers are shown at the program's picture.
    public let badgeSetting = UNNotificationSetting.notSupported
    /// Enabled once ``UNAuthorizationOptions/criticalAlert`` was asked for.
    public let criticalAlertSetting: UNNotificationSetting

    init(allowsCriticalAlerts: Bool) {
        criticalAlertSetting = allowsCriticalAlerts ? .enabled : .disabled
    }
}
