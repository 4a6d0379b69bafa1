// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
import Foundation

/// A file that belongs to a notification. Nothing shows or plays it: it goes to the program's delegate. Any thread.
public final class UNNotificationAttachment: NSObject, Sendable {
    /// A name of its own where the program gave none.
    public let identifier: String
    public let url: URL
    /// The type that the options name, else the file's extension.
    public let type: String

    /// - Throws: ``UNError`` where the URL names no file that can be read.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, FileManager.default.isReadableFile(atPath: url.path) else {
            throw UNError(.attachmentInvalidURL, userInfo: [NSURLErrorKey: url])
        }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.url = url
        type = options?[UNNotificationAttachmentOptionsTypeHintKey] as? String ?? url.pathExtension
    }
}

public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

public let UNErrorDomain = "UNErrorDomain"

/// An error of a notification.
public struct UNError: CustomNSError {
    public enum Code: Int, Sendable {
        case attachmentInvalidURL = 100
    }

    public let code: Code
    // SAFETY: no one changes it.
    public nonisolated(unsafe) let errorUserInfo: [String: Any]

    init(_ code: Code, userInfo: [String: Any]) {
        self.code = code
        errorUserInfo = userInfo
    }

    public static var errorDomain: String { UNErrorDomain }
    public var errorCode: Int { code.rawValue }
}
