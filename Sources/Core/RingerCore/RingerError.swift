import Glibc
import SystemPackage

/// A failed operation on a device or a file, with the reason.
public struct RingerError: Error, Sendable, Hashable {
    /// The kind of failure. There may be more kinds in the future: treat unknown ones like any other failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name, as JSON and logs show it.
        public let rawValue: String

        /// The code of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no such device, line, file or PCM.
        public static let notFound = Code(rawValue: "notFound")
        /// The process may not open it.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// Another process, or another part of this one, holds it.
        public static let busy = Code(rawValue: "busy")
        /// It was there and is gone: unplugged, or its driver unloaded. Errors of a bus, `EIO` and `ENXIO`, do not
        /// prove that; they have the code ``system``.
        public static let disconnected = Code(rawValue: "disconnected")
        /// It exists and cannot do what was requested, such as a device without the wanted switch.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The request makes no sense: a name, a number or a file that cannot be right.
        public static let invalid = Code(rawValue: "invalid")
        /// It did not answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// It was closed by its owner.
        public static let closed = Code(rawValue: "closed")
        /// Another process opened it: the caller is a child of fork.
        public static let otherProcess = Code(rawValue: "otherProcess")
        /// Anything else that the system reports.
        public static let system = Code(rawValue: "system")
    }

    /// All contents in one allocation, so that events and results that carry errors stay small.
    private indirect enum Box: Sendable, Hashable {
        case contents(Contents)
    }

    private struct Contents: Sendable, Hashable {
        var code: Code
        var operation: String
        var subject: String
        var errno: Errno?
        var detail: String?
    }

    private var box: Box

    private var contents: Contents {
        get {
            switch box {
            case .contents(let contents): contents
            }
        }
        set { box = .contents(newValue) }
    }

    /// The kind of failure.
    public var code: Code {
        get { contents.code }
        set { contents.code = newValue }
    }

    /// The operation that failed: "open", "read the position", "request the line".
    public var operation: String {
        get { contents.operation }
        set { contents.operation = newValue }
    }

    /// The device or file: "/dev/input/event0", "gpiochip0 line 2", "PCM default".
    public var subject: String {
        get { contents.subject }
        set { contents.subject = newValue }
    }

    /// The system's reason, if there is one.
    public var errno: Errno? {
        get { contents.errno }
        set { contents.errno = newValue }
    }

    /// What was found instead, or how to repair it.
    public var detail: String? {
        get { contents.detail }
        set { contents.detail = newValue }
    }

    /// A failure of `operation` on `subject`.
    public init(_ code: Code, _ operation: String, _ subject: String, errno: Errno? = nil, detail: String? = nil) {
        box = .contents(
            Contents(code: code, operation: operation, subject: subject, errno: errno, detail: detail))
    }

    /// A failure with the system's reason `errno`, which determines the code.
    public init(_ operation: String, _ subject: String, _ errno: Errno, detail: String? = nil) {
        self.init(Code(errno), operation, subject, errno: errno, detail: detail)
    }
}

extension RingerError.Code {
    /// The code that fits `errno` best, for an operation on a device or file.
    ///
    /// `EIO` and `ENXIO` are ``system``: an I2C expander or a haptic chip reports them for a single missing
    /// acknowledgement, and the next attempt may succeed.
    public init(_ errno: Errno) {
        switch errno.rawValue {
        case ENOENT, ENOTDIR: self = .notFound
        case EACCES, EPERM: self = .permissionDenied
        case EBUSY: self = .busy
        case ENODEV: self = .disconnected
        case ETIMEDOUT: self = .timedOut
        case EINVAL: self = .invalid
        case ENOTSUP, ENOSYS, ENOTTY: self = .unsupported
        default: self = .system
        }
    }
}

extension RingerError: CustomStringConvertible {
    /// One line: the subject, the operation, the reason.
    public var description: String {
        var text = "\(subject): cannot \(operation)"
        if let errno {
            text += ": \(errno)"
        } else {
            text += ": \(code.reason)"
        }
        if let detail { text += " (\(detail))" }
        return text
    }
}

extension RingerError.Code {
    fileprivate var reason: String {
        switch self {
        case .busy: "in use"
        case .unsupported: "not supported"
        case .invalid: "not valid"
        case .otherProcess: "opened by another process"
        // "not found", "sound incomplete"
        default: rawValue.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys it instead of showing it: a control character, or one that turns the order of a line.
    package var controlsTerminal: Bool { properties.generalCategory == .control || properties.isBidiControl }
}

extension String {
    /// The text on one line, with `\x1b` or `\x202e` for what controls a terminal: a name or a tag from outside neither works the
    /// terminal nor writes lines of a log.
    package var oneLine: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.controlsTerminal else { return text.unicodeScalars.append(scalar) }
            text += "\\x\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
        }
    }
}
