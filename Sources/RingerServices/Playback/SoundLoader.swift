/// Reads sound files from the file system.
public enum SoundLoader {
    /// Reads the headers of a sound file, without decoding it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumDuration: How long the sound may be; nil for any length.
    /// - Returns: Its format and length.
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid` and the fault in the
    ///   file.
    public static func info(_ path: String, maximumDuration: Duration? = nil) throws(RingerError) -> SoundFileInfo {
        try info(try FileByteSource(path), maximumDuration)
    }

    /// Reads the headers of a file that must lie within its directory.
    static func info(_ file: ContainedFile, maximumDuration: Duration? = nil) throws(RingerError) -> SoundFileInfo {
        try info(try FileByteSource(file), maximumDuration)
    }

    /// Reads and decodes a sound file of any format that ``SoundFiles`` knows.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumDuration: How long the sound may be; nil for any length. It is checked with the header's values before
    ///     anything is decoded.
    /// - Returns: The sound.
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid` and the fault in the
    ///   file.
    public static func load(_ path: String, maximumDuration: Duration? = nil) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(path), maximumDuration)
    }

    /// Reads and decodes a file that must lie within its directory.
    static func load(_ file: ContainedFile, maximumDuration: Duration? = nil) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(file), maximumDuration)
    }

    /// Reads and decodes a sound file on a thread of its own: reading may be slow, and the caller's thread may be the
    /// device's.
    package static func loadElsewhere(_ path: String) async throws(RingerError) -> PCMBuffer {
        try await elsewhere { () throws(RingerError) in try load(path) }
    }

    /// Reads and decodes a file that is open, and that somebody else may be writing: one whose size has changed meanwhile
    /// is an error.
    package static func loadElsewhere(
        _ file: FileByteSource, maximumDuration: Duration? = nil
    ) async throws(RingerError) -> PCMBuffer {
        try await elsewhere { () throws(RingerError) in
            let sound = try load(file, maximumDuration)
            try file.checkSize()
            return sound
        }
    }

    private static func elsewhere(
        _ body: @escaping @Sendable () throws(RingerError) -> PCMBuffer
    ) async throws(RingerError) -> PCMBuffer {
        let result = await DetachedThread.run { () -> Result<PCMBuffer, RingerError> in
            do throws(RingerError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func info(
        _ file: FileByteSource, _ maximumDuration: Duration?
    ) throws(RingerError) -> SoundFileInfo {
        do {
            let info = try SoundFiles.info(file)
            if let maximumDuration { try info.require(atMost: maximumDuration) }
            return info
        } catch {
            throw RingerError(error, reading: file.path)
        }
    }

    private static func load(_ file: FileByteSource, _ maximumDuration: Duration?) throws(RingerError) -> PCMBuffer {
        do {
            return try SoundFiles.decode(file, maximumDuration: maximumDuration)
        } catch {
            throw RingerError(error, reading: file.path)
        }
    }
}

extension RingerError {
    /// The error for a fault in the sound file at `path`, or in reading it.
    fileprivate init(_ error: SoundFileError, reading path: String) {
        self.init(
            error.code == .maximumDurationExceeded ? .soundTooLong : .invalid, "decode the sound", path,
            detail: "\(error)")
    }
}

extension RingerError.Code {
    /// A sound is longer than a system sound may be.
    public static let soundTooLong = RingerError.Code(rawValue: "soundTooLong")
}
