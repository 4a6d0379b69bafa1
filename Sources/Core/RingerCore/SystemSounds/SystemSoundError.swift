import FourCharacterCodes
/// A failed call of System Sound Services.
public struct SystemSoundError: Error, Sendable, Hashable {
    /// The result that a C program sees; an open set, compared with the named values.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number.
        public let rawValue: Int32

        /// The code of this number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The code of these four characters.
        public init(_ characters: FourCharacterCode) {
            rawValue = Int32(bitPattern: characters.rawValue)
        }

        /// No such property. The corresponding C constant is `kAudioServicesUnsupportedPropertyError`.
        public static let unsupportedProperty = Code("pty?")
        /// The value has another size. The corresponding C constant is `kAudioServicesBadPropertySizeError`.
        public static let badPropertySize = Code("!siz")
        /// The specifier has another size. The corresponding C constant is `kAudioServicesBadSpecifierSizeError`.
        public static let badSpecifierSize = Code("!spc")
        /// Anything else. The corresponding C constant is `kAudioServicesSystemSoundUnspecifiedError`.
        public static let unspecified = Code(rawValue: -1500)
        /// The service did not answer. The corresponding C constant is `kAudioServicesSystemSoundClientTimedOutError`.
        public static let clientTimedOut = Code(rawValue: -1501)
        /// The sound lasts longer than 30 s. The corresponding C constant is
        /// `kAudioServicesSystemSoundExceededMaximumDurationError`.
        public static let exceededMaximumDuration = Code(rawValue: -1502)
    }

    /// The result.
    public var code: Code
    /// The operation, its object, and why it failed.
    public var cause: RingerError

    /// The failure `cause` as the result `code`.
    public init(_ code: Code, _ cause: RingerError) {
        self.code = code
        self.cause = cause
    }

    /// The failure `cause`, whose code decides the result.
    public init(_ cause: RingerError) {
        let code: Code =
            switch cause.code {
            case .soundTooLong: .exceededMaximumDuration
            case .timedOut: .clientTimedOut
            default: .unspecified
            }
        self.init(code, cause)
    }

    static func unknown(_ id: SystemSoundID, _ operation: String) -> SystemSoundError {
        SystemSoundError(RingerError(.notFound, operation, "system sound \(id)"))
    }
}

extension SystemSoundError: CustomStringConvertible {
    /// One line: the cause, and the result.
    public var description: String { "\(cause) [\(code)]" }
}

extension SystemSoundError.Code: CustomStringConvertible {
    /// The four characters, where the number is made of some; else the number.
    public var description: String {
        FourCharacterCode(rawValue: UInt32(bitPattern: rawValue)).characters ?? String(rawValue)
    }
}
