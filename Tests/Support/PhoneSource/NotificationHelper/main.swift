import Foundation
import UserNotifications

/// Schedules notifications, one with each kind of sound.
final class NotificationHelper: NSObject, UNUserNotificationCenterDelegate, Sendable {
    static let shared = NotificationHelper()

    func requestAuthorization() async -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        return (try? await center.requestAuthorization(options: [.alert, .sound, .badge, .criticalAlert])) ?? false
    }

    func schedule(_ identifier: String, sound: UNNotificationSound?, after seconds: TimeInterval) async throws {
        let content = UNMutableNotificationContent()
        content.title = "Reminder"
        content.body = identifier
        content.badge = 1
        content.sound = sound
        content.userInfo = ["identifier": identifier]
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)
        let request = UNNotificationRequest(identifier: identifier, content: content, trigger: trigger)
        try await UNUserNotificationCenter.current().add(request)
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        print("\(notification.request.content.title): \(notification.request.identifier)")
        completionHandler([.banner, .list, .sound])
    }
}

let name = UNNotificationSoundName("note.wav")
let sounds: [(String, UNNotificationSound?)] = [
    ("default", .default),
    ("named", UNNotificationSound(named: name)),
    ("default critical", .defaultCritical),
    ("default critical at 0.5", .defaultCriticalSound(withAudioVolume: 0.5)),
    ("critical named", .criticalSoundNamed(name)),
    ("critical named at 0.5", .criticalSoundNamed(name, withAudioVolume: 0.5)),
    ("none", nil),
]
let helper = NotificationHelper.shared
print("allowed: \(await helper.requestAuthorization())")
for (index, (identifier, sound)) in sounds.enumerated() {
    try await helper.schedule(identifier, sound: sound, after: 5 + 0.25 * Double(index))
}
try await helper.schedule("removed", sound: .default, after: 5)
UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: ["removed"])
print("pending: \(await UNUserNotificationCenter.current().pendingNotificationRequests().count)")
while await !UNUserNotificationCenter.current().pendingNotificationRequests().isEmpty {
    try await Task.sleep(for: .milliseconds(100))
}
// The last one is presented.
try await Task.sleep(for: .seconds(1))
print("pending: \(await UNUserNotificationCenter.current().pendingNotificationRequests().count)")
exit(0)
