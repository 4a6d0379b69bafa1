/// Reads sound files from the file system.
public enum SoundLoader {
    /// Reads what a sound file's headers say, without decoding it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumDuration: How long the sound may be; nil for any length.
    ///   - followsLinks: Whether `path` may be a symbolic link.
    /// - Returns: Its format and length.
    /// - Throws: ``RingerError`` naming the file: the system's reason, or with code `invalid` what is wrong inside.
    public static func info(
        _ path: String, maximumDuration: Duration? = nil, followsLinks: Bool = true
    ) throws(RingerError) -> SoundFileInfo {
        let file = try FileByteSource(path, followsLinks: followsLinks)
        do {
            let info = try SoundFiles.info(file)
            if let maximumDuration { try info.require(atMost: maximumDuration) }
            return info
        } catch {
            throw RingerError(error, reading: path)
        }
    }

    /// Reads and decodes a sound file of any format that ``SoundFiles`` knows.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumDuration: How long the sound may be; nil for any length. It is told from the header, before anything
    ///     is decoded.
    ///   - followsLinks: Whether `path` may be a symbolic link.
    /// - Returns: The sound.
    /// - Throws: ``RingerError`` naming the file: the system's reason, or with code `invalid` what is wrong inside.
    public static func load(
        _ path: String, maximumDuration: Duration? = nil, followsLinks: Bool = true
    ) throws(RingerError) -> PCMBuffer {
        let file = try FileByteSource(path, followsLinks: followsLinks)
        do {
            return try SoundFiles.decode(file, maximumDuration: maximumDuration)
        } catch {
            throw RingerError(error, reading: path)
        }
    }
}

extension RingerError {
    /// What was wrong inside the sound file at `path`, or with reading it.
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
