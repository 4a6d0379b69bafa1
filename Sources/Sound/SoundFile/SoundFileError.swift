/// Why a sound could not be read or written: what was expected, what was found, and at which byte.
public struct SoundFileError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; an open set, compared with the named values.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String

        /// Makes a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's stable name.
        public var description: String { rawValue }

        /// The bytes are none of the containers read here, or have no frame of sound.
        public static let notASound = Code(rawValue: "not a sound")
        /// The container holds a codec that is not read, or cannot hold the one asked for.
        public static let unsupportedCodec = Code(rawValue: "unsupported codec")
        /// The file ends within a header.
        public static let truncatedHeader = Code(rawValue: "truncated header")
        /// A chunk says that it is longer than the file.
        public static let chunkTooLong = Code(rawValue: "chunk too long")
        /// A chunk that the container requires is missing.
        public static let missingChunk = Code(rawValue: "missing chunk")
        /// A header's field has an invalid value.
        public static let invalidHeader = Code(rawValue: "invalid header")
        /// The packet table contradicts the file.
        public static let invalidPacketTable = Code(rawValue: "invalid packet table")
        /// There are more chunks than in any ordinary file.
        public static let tooManyChunks = Code(rawValue: "too many chunks")
        /// The sound lasts longer than the caller allows.
        public static let maximumDurationExceeded = Code(rawValue: "maximum duration exceeded")
        /// The sound data is shorter than the header says: there is no frame of it.
        public static let truncatedData = Code(rawValue: "truncated data")
        /// The codec is decoded by a library that is not installed.
        public static let missingLibrary = Code(rawValue: "missing library")
        /// The source of bytes failed, or had fewer bytes than it said.
        public static let readFailed = Code(rawValue: "read failed")
        /// The sink of bytes failed.
        public static let writeFailed = Code(rawValue: "write failed")
        /// The sound does not fit the container: too many bytes or channels, or a rate that it cannot hold.
        public static let doesNotFit = Code(rawValue: "does not fit")
    }

    /// The kind of failure.
    public var code: Code
    /// What a valid file has at this place.
    public var expected: String
    /// What this file has there.
    public var found: String
    /// The byte in the file where it was found, counted from 0; `nil` if no byte is to blame.
    public var offset: Int64?
    /// The error of the source or the sink of bytes, if one of them failed.
    public var underlying: (any Error)?

    /// Makes an error from its parts.
    public init(
        _ code: Code, expected: String, found: String, offset: Int64? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.expected = expected
        self.found = found
        self.offset = offset
        self.underlying = underlying
    }

    static func withoutFrames(isTruncated: Bool, at offset: Int64) -> SoundFileError {
        SoundFileError(
            isTruncated ? .truncatedData : .notASound, expected: "a frame of sound", found: "none", offset: offset)
    }

    /// One line: the code, what was expected, what was found, where, and the cause beneath.
    public var description: String {
        var text = "\(code): expected \(expected), found \(found)"
        if let offset { text += " at byte \(offset)" }
        #if !hasFeature(Embedded)  // which cannot describe an `any Error`
        if let underlying { text += " (\(underlying))" }
        #endif
        return text
    }
}
