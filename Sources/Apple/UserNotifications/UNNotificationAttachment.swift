// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
import Foundation

/// A file that belongs to a notification. Nothing shows or plays it: it goes to the program's delegate. Any thread.
public final class UNNotificationAttachment: NSObject, Sendable {
    /// A name of its own where the program gave none.
    public let identifier: String
    /// The file.
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

/// The key of the file's type. Ignored: nothing is shown.
public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
/// The key that hides a thumbnail. Ignored: nothing is shown.
public let UNNotificationAttachmentOptionsThumbnailHiddenKey = "UNNotificationAttachmentOptionsThumbnailHiddenKey"
/// The key of a thumbnail's part of the picture. Ignored: nothing is shown.
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
/// The key of a thumbnail's time in a film. Ignored: nothing is shown.
public let UNNotificationAttachmentOptionsThumbnailTimeKey = "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// The domain of this module's errors.
public let UNErrorDomain = "UNErrorDomain"

/// An error of a notification.
public struct UNError: CustomNSError {
    /// The kinds of errors.
    public enum Code: Int, Sendable {
        /// The attachment is no file that can be read.
        case attachmentInvalidURL = 100
    }

    /// The kind of the error.
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
