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

    /// The title. Kept for the program: nothing is shown.
    public var title: String { values.title }
    /// The line below the title. Kept for the program.
    public var subtitle: String { values.subtitle }
    /// The text. Kept for the program.
    public var body: String { values.body }
    /// The number at the program's picture. Kept for the program.
    public var badge: NSNumber? { values.badge }
    /// The sound; nil for none.
    public var sound: UNNotificationSound? { values.sound }
    /// What the program gave along.
    public var userInfo: [AnyHashable: Any] { values.userInfo }
    /// The files that belong to it.
    public var attachments: [UNNotificationAttachment] { values.attachments }
    /// The name of its category. Kept for the program.
    public var categoryIdentifier: String { values.categoryIdentifier }
    /// The name of what it belongs to. Kept for the program.
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

    /// The title. Kept for the program: nothing is shown.
    public override var title: String {
        get { values.title }
        set { values.title = newValue }
    }

    /// The line below the title. Kept for the program.
    public override var subtitle: String {
        get { values.subtitle }
        set { values.subtitle = newValue }
    }

    /// The text. Kept for the program.
    public override var body: String {
        get { values.body }
        set { values.body = newValue }
    }

    /// The number at the program's picture. Kept for the program.
    public override var badge: NSNumber? {
        get { values.badge }
        set { values.badge = newValue }
    }

    /// The sound; nil for none.
    public override var sound: UNNotificationSound? {
        get { values.sound }
        set { values.sound = newValue }
    }

    /// What the program gives along.
    public override var userInfo: [AnyHashable: Any] {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }

    /// The files that belong to it.
    public override var attachments: [UNNotificationAttachment] {
        get { values.attachments }
        set { values.attachments = newValue }
    }

    /// The name of its category. Kept for the program.
    public override var categoryIdentifier: String {
        get { values.categoryIdentifier }
        set { values.categoryIdentifier = newValue }
    }

    /// The name of what it belongs to. Kept for the program.
    public override var threadIdentifier: String {
        get { values.threadIdentifier }
        set { values.threadIdentifier = newValue }
    }
}
