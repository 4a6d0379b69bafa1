// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
import Dispatch
@_exported import Foundation

// The part of CoreFoundation that callers of audio services use. Linux has no toll-free bridging: each name is the
// Foundation class that its object is bridged to on the phone.

/// A result: 0 for success.
public typealias OSStatus = Int32
/// C's truth value, 1 or 0.
public typealias Boolean = UInt8
/// Any object of Core Foundation.
public typealias CFTypeRef = AnyObject
/// A URL: `url as CFURL` converts.
public typealias CFURL = NSURL
/// A string.
public typealias CFString = NSString
/// A number.
public typealias CFNumber = NSNumber
/// A dictionary.
public typealias CFDictionary = NSDictionary
/// A program and its files.
public typealias CFBundle = Bundle
/// A run loop.
public typealias CFRunLoop = RunLoop
/// Seconds.
public typealias CFTimeInterval = TimeInterval
/// Seconds since the beginning of 2001.
public typealias CFAbsoluteTime = CFTimeInterval

/// C's truth value where a C function returns one through a pointer.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Equatable, Sendable {
    private let byte: UInt8

    /// The C value of a `Bool`.
    public init(_ value: Bool) { byte = value ? 1 : 0 }
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// The value as a `Bool`.
    public var boolValue: Bool { byte != 0 }
}

/// A mode of a run loop.
// SAFETY: the two modes are constants.
public struct CFRunLoopMode: RawRepresentable, Equatable, @unchecked Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) { self.rawValue = rawValue }
    /// A mode of this name.
    public init(_ rawValue: CFString) { self.rawValue = rawValue }

    /// The mode in which a run loop usually runs.
    public static let defaultMode = CFRunLoopMode(RunLoop.Mode.default.rawValue as CFString)
    /// All modes.
    public static let commonModes = CFRunLoopMode(RunLoop.Mode.common.rawValue as CFString)
}

/// The main run loop.
public func CFRunLoopGetMain() -> CFRunLoop! { RunLoop.main }
/// The calling thread's run loop.
public func CFRunLoopGetCurrent() -> CFRunLoop! { RunLoop.current }

/// Seconds since 2001-01-01 00:00 UTC, by a clock that can be set.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// Seconds by a clock that is never set. Apple has it in QuartzCore.
public func CACurrentMediaTime() -> CFTimeInterval {
    let time = DispatchTime.now().uptimeNanoseconds
    return CFTimeInterval(time) / 1e9
}

/// The program itself.
public func CFBundleGetMainBundle() -> CFBundle! { Bundle.main }

/// The resource of a bundle; nil where there is none.
public func CFBundleCopyResourceURL(
    _ bundle: CFBundle!, _ resourceName: CFString!, _ resourceType: CFString!, _ subDirName: CFString!
) -> CFURL! {
    guard let bundle else { return nil }
    let url = bundle.url(
        forResource: resourceName.map { String($0) }, withExtension: resourceType.map { String($0) },
        subdirectory: subDirName.map { String($0) })
    return url.map { $0 as CFURL }
}

extension NSURL {
    /// The URL of a file.
    public class func fileURL(withPath path: String) -> URL { URL(fileURLWithPath: path) }
}
