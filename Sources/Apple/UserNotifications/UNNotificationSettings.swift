// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import Foundation

public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}

public enum UNNotificationSetting: Int, Sendable {
    case notSupported, disabled, enabled
}

/// What notifications may do: they sound, and nothing is shown. Linux asks nobody. Any thread.
public final class UNNotificationSettings: NSObject, Sendable {
    public let authorizationStatus = UNAuthorizationStatus.authorized
    public let soundSetting = UNNotificationSetting.enabled
    public let alertSetting = UNNotificationSetting.notSupported
    public let badgeSetting = UNNotificationSetting.notSupported
    /// Enabled once ``UNAuthorizationOptions/criticalAlert`` was asked for.
    public let criticalAlertSetting: UNNotificationSetting

    init(allowsCriticalAlerts: Bool) {
        criticalAlertSetting = allowsCriticalAlerts ? .enabled : .disabled
    }
}
