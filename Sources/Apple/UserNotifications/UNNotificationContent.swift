// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// What a notification consists of. Only its sound has an effect here; the rest goes to the program's delegate.
/// One thread at a time.
public class UNNotificationContent: NSObject {
    struct Values {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var userInfo: [AnyHashable: Any] = [:]
        var attachments: [UNNotificationAttachment] = []
        var categoryIdentifier = ""
        var threadIdentifier = ""
    }

    var values: Values

    public override init() { values = Values() }

    fileprivate init(_ values: Values) { self.values = values }

    public var title: String { values.title }
    public var subtitle: String { values.subtitle }
    public var body: String { values.body }
    public var badge: NSNumber? { values.badge }
    public var sound: UNNotificationSound? { values.sound }
    public var userInfo: [AnyHashable: Any] { values.userInfo }
    public var attachments: [UNNotificationAttachment] { values.attachments }
    public var categoryIdentifier: String { values.categoryIdentifier }
    public var threadIdentifier: String { values.threadIdentifier }

    /// A content of its own, which does not change.
    func fixed() -> UNNotificationContent { UNNotificationContent(values) }

    public override func copy() -> Any { fixed() }
    public override func mutableCopy() -> Any { UNMutableNotificationContent(values) }
}

/// A content that can be changed. One thread at a time.
public final class UNMutableNotificationContent: UNNotificationContent {
    public override init() { super.init() }

    override fileprivate init(_ values: Values) { super.init(values) }

    public override var title: String {
        get { values.title }
        set { values.title = newValue }
    }

    public override var subtitle: String {
        get { values.subtitle }
        set { values.subtitle = newValue }
    }

    public override var body: String {
        get { values.body }
        set { values.body = newValue }
    }

    public override var badge: NSNumber? {
        get { values.badge }
        set { values.badge = newValue }
    }

    public override var sound: UNNotificationSound? {
        get { values.sound }
        set { values.sound = newValue }
    }

    public override var userInfo: [AnyHashable: Any] {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }

    public override var attachments: [UNNotificationAttachment] {
        get { values.attachments }
        set { values.attachments = newValue }
    }

    public override var categoryIdentifier: String {
        get { values.categoryIdentifier }
        set { values.categoryIdentifier = newValue }
    }

    public override var threadIdentifier: String {
        get { values.threadIdentifier }
        set { values.threadIdentifier = newValue }
    }
}
