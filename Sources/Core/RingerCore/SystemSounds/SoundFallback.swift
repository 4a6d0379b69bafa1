import SystemPackage

/// Why another sound is played than the one that was asked for, or not all of it.
public struct SoundFallback: Sendable, Hashable {
    /// The kind of reason; an open set, compared with the named values.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The reason's name, as JSON and logs show it.
        public let rawValue: String

        /// The reason of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No such file is in the places where it may be.
        public static let missing = Reason(rawValue: "missing")
        /// The file cannot be read, or cannot be decoded.
        public static let undecodable = Reason(rawValue: "undecodable")
        /// A part of the sound is missing; the rest of it is played.
        public static let incomplete = Reason(rawValue: "incomplete")
        /// The sound lasts too long.
        public static let tooLong = Reason(rawValue: "tooLong")
        /// The process may not read the file.
        public static let permissionDenied = Reason(rawValue: "permissionDenied")
        /// The name, or a symbolic link, may lead out of the places where sounds are looked for.
        public static let refusedName = Reason(rawValue: "refusedName")
        /// The application may not send critical alerts: its sound was played like any other.
        public static let criticalNotAllowed = Reason(rawValue: "criticalNotAllowed")
    }

    /// The kind of reason.
    public var reason: Reason
    /// The error behind it, if any.
    public var error: RingerError?

    /// A reason, with the error behind it.
    public init(_ reason: Reason, _ error: RingerError? = nil) {
        self.reason = reason
        self.error = error
    }

    /// Why the samples are not all of the sound that was asked for, or another one's; nil if they are all of it.
    package init?(_ sound: PCMBuffer) {
        guard let shortfall = sound.shortfall else { return nil }
        if let error = RingerError(replacedIn: shortfall) {
            self.init(error)
            return
        }
        let file = shortfall.file.isEmpty ? "sound" : shortfall.file
        self.init(.incomplete, RingerError(.soundIncomplete, "play all of it", file, detail: shortfall.reason))
    }

    /// The reason that follows from `error`.
    init(_ error: RingerError) {
        let reason: Reason =
            switch error.code {
            case _ where error.errno == .tooManySymbolicLinkLevels || error.errno == .improperLink: .refusedName
            case .notFound: .missing
            case .permissionDenied: .permissionDenied
            case .soundTooLong: .tooLong
            default: .undecodable
            }
        self.init(reason, error)
    }
}

extension PCMBuffer {
    /// The same samples, in the place of a sound that cannot be played because of `error`.
    func standingIn(because error: RingerError) -> PCMBuffer {
        var sound = self
        sound.shortfall = Shortfall(file: error.subject, reason: error.detail ?? "")
        sound.shortfall?.replaced = .init(
            code: error.code.rawValue, operation: error.operation, errno: error.errno?.rawValue)
        return sound
    }

    /// Whether it would be the same if it were loaded again: then it may be kept. A file that is being rewritten has less of
    /// its sound for a moment.
    var isFinal: Bool { SoundFallback(self)?.error?.mayPass != true }
}

extension RingerError {
    /// The error because of which the samples are another sound's; nil if they are the file's own.
    fileprivate init?(replacedIn shortfall: PCMBuffer.Shortfall) {
        guard let replaced = shortfall.replaced else { return nil }
        self.init(
            Code(rawValue: replaced.code), replaced.operation, shortfall.file,
            errno: replaced.errno.map { Errno(rawValue: $0) }, detail: shortfall.reason.isEmpty ? nil : shortfall.reason
        )
    }
}

extension SoundFallback.Reason: CustomStringConvertible {
    /// The reason's name.
    public var description: String { rawValue }
}

extension SoundFallback: CustomStringConvertible {
    /// The reason's name, and the error behind it.
    public var description: String { error.map { "\(reason.rawValue): \($0)" } ?? reason.rawValue }
}
