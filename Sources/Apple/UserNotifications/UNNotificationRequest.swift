// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// When a notification is delivered. Any thread.
// SAFETY: all properties are constants.
public class UNNotificationTrigger: NSObject, @unchecked Sendable {
    // SAFETY: nothing of it changes.
    /// Whether it is due again and again.
    public let repeats: Bool

    fileprivate init(repeats: Bool) { self.repeats = repeats }
}

/// So many seconds from now on. Any thread.
// SAFETY: all properties are constants.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// The seconds until it is due.
    public let timeInterval: TimeInterval

    /// - Parameters:
    ///   - timeInterval: In seconds, more than 0; a trigger that repeats does so once in a minute at most.
    ///   - repeats: Whether it repeats.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        let shortest = repeats ? 60.0 : 0
        self.timeInterval = timeInterval.isFinite ? min(max(timeInterval, shortest), 1e9) : shortest
        super.init(repeats: repeats)
    }

    /// When it would be due if it were requested now.
    public func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }
}

/// At a date of the wall clock, whatever sets that meanwhile. Any thread.
///
/// Where the clock is set forward beyond the date, or the machine sleeps then, it is due at once, and once for all dates in
/// between. Where it is set back, by a day at most, what was delivered already is not delivered again; by more, the dates count
/// anew. While the clock was never set, which is before 2020, nothing is due.
// SAFETY: all properties are constants.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    /// The parts of the date at which it is due.
    public let dateComponents: DateComponents

    /// A trigger that is due at the next date with these parts.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    /// The next date with its parts.
    public func nextTriggerDate() -> Date? { next(after: Date()) }

    func next(after date: Date) -> Date? {
        let calendar = dateComponents.calendar ?? Calendar.current
        return calendar.nextDate(after: date, matching: dateComponents, matchingPolicy: .nextTime)
    }
}

/// A notification to be delivered. Any thread.
// SAFETY: nothing of it changes: the content is a copy.
public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    /// Its name: another request of the same name replaces it.
    public let identifier: String
    /// What is notified.
    public let content: UNNotificationContent
    /// Nil to deliver at once.
    public let trigger: UNNotificationTrigger?

    /// A request; without a trigger it is due at once.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content.fixed()
        self.trigger = trigger
    }
}

/// A notification that is delivered. Any thread.
public final class UNNotification: NSObject, Sendable {
    /// When it was due.
    public let date: Date
    /// What was requested.
    public let request: UNNotificationRequest

    init(_ request: UNNotificationRequest, at date: Date) {
        self.request = request
        self.date = date
    }
}

/// What a user answered to a notification: sources name it, and nothing makes one. Any thread.
public final class UNNotificationResponse: NSObject, Sendable {
    /// What the user answered.
    public let notification: UNNotification
    /// How.
    public let actionIdentifier: String

    init(_ notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}
