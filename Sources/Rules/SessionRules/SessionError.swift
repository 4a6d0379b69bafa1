import FourCharacterCodes

/// A refused request about a session, or the misuse of a property. Nothing was changed.
public struct SessionError: Error, Sendable, Hashable {
    /// Why, as one of Apple's result codes. More may be added: treat an unknown one like any other failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The result code, an `OSStatus`.
        public let rawValue: Int32

        /// The result code of this number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The result code of these four characters.
        public init(_ characters: FourCharacterCode) {
            rawValue = Int32(bitPattern: characters.rawValue)
        }

        /// The session was not made, or not initialised. Code `!ini`.
        public static let notInitialized = Code("!ini")
        /// The session was made, or initialised, already. Code `init`.
        public static let alreadyInitialized = Code("init")
        /// Initialising failed. Code `ini?`.
        public static let initializationFailed = Code("ini?")
        /// There is no such property, or it cannot be used so: set though read-only, read though write-only or
        /// listener-only. Code `pty?`.
        public static let unsupportedProperty = Code("pty?")
        /// The data are not as large as the property's value. Code `!siz`.
        public static let badPropertySize = Code("!siz")
        /// The session is not active, or cannot become so beside what is active now. Code `!act`.
        public static let notActive = Code("!act")
        /// There is no audio input. Code `nohw`.
        public static let noHardware = Code("nohw")
        /// The category has to be set explicitly first. Code `?cat`.
        public static let noCategorySet = Code("?cat")
        /// The category does not allow it, or there is no such category. Code `!cat`.
        public static let incompatibleCategory = Code("!cat")
        /// The property cannot have this value. Apple's general code for a bad parameter, -50.
        public static let badParameter = Code(rawValue: -50)
    }

    /// Why.
    public var code: Code
    /// The operation that failed: "activate", "set acat".
    public var operation: String
    /// The session, if there is one.
    public var session: SessionID?
    /// More about the reason.
    public var detail: String?

    /// A failure of `operation`.
    public init(_ code: Code, _ operation: String, session: SessionID? = nil, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.session = session
        self.detail = detail
    }

    /// The same failure, of `session`.
    func of(_ session: SessionID) -> SessionError {
        var error = self
        error.session = session
        return error
    }
}

extension SessionError.Code: CustomStringConvertible {
    /// The four characters, or the number.
    public var description: String {
        FourCharacterCode(rawValue: UInt32(bitPattern: rawValue)).characters ?? String(rawValue)
    }
}

extension SessionError: CustomStringConvertible {
    /// One line: the session, the operation, the code, the detail.
    public var description: String {
        var text = session.map { "session \($0.rawValue): " } ?? ""
        text += "cannot \(operation): '\(code)'"
        if let detail { text += " (\(detail))" }
        return text
    }
}
