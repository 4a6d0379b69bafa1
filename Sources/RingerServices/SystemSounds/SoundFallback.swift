/// Why another sound is played than the one that was asked for.
public struct SoundFallback: Sendable, Hashable {
    /// The kind of reason; an open set, compared with the named values.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The reason's name, as JSON and logs show it.
        public let rawValue: String

        /// The reason of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no such file where it may be.
        public static let missing = Reason(rawValue: "missing")
        /// The file cannot be read, or is no sound.
        public static let undecodable = Reason(rawValue: "undecodable")
        /// The sound lasts too long.
        public static let tooLong = Reason(rawValue: "tooLong")
        /// The name leads out of the places where sounds are looked for.
        public static let refusedName = Reason(rawValue: "refusedName")
        /// The application may not send critical alerts: its sound was played like any other.
        public static let criticalNotAllowed = Reason(rawValue: "criticalNotAllowed")
    }

    /// The kind of reason.
    public var reason: Reason
    /// What went wrong, where something did.
    public var error: RingerError?

    /// The reason, with what went wrong.
    public init(_ reason: Reason, _ error: RingerError? = nil) {
        self.reason = reason
        self.error = error
    }

    /// The reason that `error` is.
    init(_ error: RingerError) {
        let reason: Reason =
            switch error.code {
            case .notFound: .missing
            case .soundTooLong: .tooLong
            default: .undecodable
            }
        self.init(reason, error)
    }
}

extension SoundFallback.Reason: CustomStringConvertible {
    /// The reason's name.
    public var description: String { rawValue }
}

extension SoundFallback: CustomStringConvertible {
    /// The reason's name, and what went wrong.
    public var description: String { error.map { "\(reason.rawValue): \($0)" } ?? reason.rawValue }
}
