// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported import Foundation

/// Decides whether a notification is heard. A program implements one of the first two methods.
public protocol UNUserNotificationCenterDelegate: AnyObject {
    /// The sound is played if the options contain ``UNNotificationPresentationOptions/sound``. Called on the main queue.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)

    /// The sound is played if the options contain ``UNNotificationPresentationOptions/sound``.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// Never called: nothing is shown that a user could answer.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
}

extension UNUserNotificationCenterDelegate {
    /// Asks the other method.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let question = Question(delegate: self, completionHandler: completionHandler)
        Task { await question.ask(center, notification) }
    }

    /// The sound is played.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        [.sound, .banner, .list, .badge]
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        completionHandler()
    }
}

/// A question to a delegate.
// SAFETY: the delegate's method says by its isolation where it runs; the handler goes back to the center, which any thread
// may use.
private struct Question: @unchecked Sendable {
    var delegate: any UNUserNotificationCenterDelegate
    var completionHandler: (UNNotificationPresentationOptions) -> Void

    func ask(_ center: UNUserNotificationCenter, _ notification: UNNotification) async {
        completionHandler(await delegate.userNotificationCenter(center, willPresent: notification))
    }
}
