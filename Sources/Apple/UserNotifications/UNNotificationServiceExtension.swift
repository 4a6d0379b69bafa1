// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Changes remote notifications before they are delivered. On a phone the system makes it and hands them over; here the
/// program does, which receives them: it adds a request of the content that it gets back.
open class UNNotificationServiceExtension: NSObject {
    public override init() { super.init() }

    /// Calls `contentHandler` with the content to deliver; that of the request, unless a subclass overrides it.
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The program may call it where it waits no longer. It does nothing, unless a subclass overrides it.
    open func serviceExtensionTimeWillExpire() {}
}
