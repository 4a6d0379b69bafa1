import SystemPackage

/// Reads sound files from the file system.
public enum SoundLoader {
    /// Reads the headers of a sound file, without decoding it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumDuration: How long the sound may be; nil for any length.
    /// - Returns: Its format and length.
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid`, or `soundIncomplete`,
    ///   and the fault in the file.
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
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid`, or `soundIncomplete`,
    ///   and the fault in the file.
    public static func load(_ path: String, maximumDuration: Duration? = nil) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(path), maximumDuration)
    }

    /// Reads and decodes a file that must lie within its directory.
    static func load(_ file: ContainedFile, maximumDuration: Duration? = nil) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(file), maximumDuration)
    }

    /// Reads and decodes a system sound, whose file had `frames` frames when it was registered. The file may be being
    /// rewritten: what is there of a sound that was cut off since may be heard, and is not the whole of it.
    static func load(_ path: String, registeredWith frames: Int) throws(RingerError) -> LoadedSound {
        let file = try FileByteSource(path)
        var sound = LoadedSound(try load(file, SoundLimits.systemSoundDuration))
        guard sound.samples.frames < frames else { return sound }
        guard sound.samples.frames > 0 else {
            throw RingerError(
                .soundIncomplete, "decode the sound", path,
                detail: "it has no sound, and had \(frames) frames when it was registered")
        }
        sound.isWhole = try !info(file, nil).isTruncated
        return sound
    }

    /// Reads and decodes a sound file on a thread of its own: reading may be slow, and the caller's thread may be the
    /// device's.
    package static func loadElsewhere(_ path: String) async throws(RingerError) -> PCMBuffer {
        try await elsewhere { () throws(RingerError) in try load(path) }.get()
    }

    /// Reads and decodes a file that is open, and that somebody else may be writing: one whose size has changed meanwhile
    /// is an error. When the task is cancelled, the file is not read on.
    package static func loadElsewhere(
        _ file: FileByteSource, maximumDuration: Duration? = nil
    ) async throws(RingerError) -> PCMBuffer {
        try await withTaskCancellationHandler {
            await elsewhere { () throws(RingerError) in
                let sound = try load(file, maximumDuration)
                try file.checkSize()
                return sound
            }
        } onCancel: {
            file.cancel()
        }.get()
    }

    private static func elsewhere(
        _ body: @escaping @Sendable () throws(RingerError) -> PCMBuffer
    ) async -> Result<PCMBuffer, RingerError> {
        await DetachedThread.run {
            do throws(RingerError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
    }

    private static func info(
        _ file: FileByteSource, _ maximumDuration: Duration?
    ) throws(RingerError) -> SoundFileInfo {
        do {
            let info = try SoundFiles.info(file)
            if let maximumDuration { try info.require(atMost: maximumDuration) }
            return info
        } catch {
            throw RingerError(error, reading: file)
        }
    }

    private static func load(_ file: FileByteSource, _ maximumDuration: Duration?) throws(RingerError) -> PCMBuffer {
        do {
            return try SoundFiles.decode(file, maximumDuration: maximumDuration)
        } catch {
            throw RingerError(error, reading: file)
        }
    }
}

extension RingerError {
    /// The error for a fault in a sound file, or in reading it.
    fileprivate init(_ error: SoundFileError, reading file: FileByteSource) {
        if let reason = error.underlying as? Errno {
            self.init("read", file.path, reason)
            return
        }
        let code: Code =
            switch error.code {
            case .maximumDurationExceeded: .soundTooLong
            case .truncatedHeader, .chunkTooLong, .missingChunk, .truncatedData, .readFailed: .soundIncomplete
            default: file.size == 0 ? .soundIncomplete : .invalid
            }
        self.init(code, "decode the sound", file.path, detail: "\(error)")
    }

    /// Whether reading the same sound again may succeed: the system could not read it, or its file ended too early and
    /// may be being written. A file that is no sound stays one.
    var mayPass: Bool { errno != nil || code == .soundIncomplete }
}

extension RingerError.Code {
    /// A sound is longer than a system sound may be.
    public static let soundTooLong = RingerError.Code(rawValue: "soundTooLong")
    /// A sound file ends too early: it was cut off, or somebody is writing it.
    public static let soundIncomplete = RingerError.Code(rawValue: "soundIncomplete")
}
