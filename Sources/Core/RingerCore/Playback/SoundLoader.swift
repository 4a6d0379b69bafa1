import SystemPackage

/// Reads sound files from the file system.
public enum SoundLoader {
    /// Reads the headers of a sound file, without decoding it.
    ///
    /// - Parameter maximumDuration: How long the sound may be; nil for any length.
    /// - Returns: Its format and length.
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid`, or `soundIncomplete`,
    ///   and the fault in the file.
    public static func info(_ path: String, maximumDuration: Duration? = nil) throws(RingerError) -> SoundFileInfo {
        try info(try FileByteSource(path), maximumDuration)
    }

    /// Reads and decodes a sound file of any format that ``SoundFiles`` knows. Of one that was cut off, what is there is
    /// decoded: ``PCMBuffer/shortfall`` says so, and so does the device that plays it.
    ///
    /// - Parameter maximumDuration: How long the sound may be; nil for any length. It is checked with the header's values
    ///   before anything is decoded.
    /// - Throws: ``RingerError`` naming the file, with the system's reason, or with code `invalid`, or `soundIncomplete`,
    ///   and the fault in the file. A file without a frame of sound is such a fault.
    public static func load(_ path: String, maximumDuration: Duration? = nil) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(path), maximumDuration)
    }

    /// Reads and decodes a sound file that is open for reading, from its beginning. The descriptor stays the caller's, and its
    /// offset is neither used nor moved.
    ///
    /// - Throws: ``RingerError`` as ``load(_:maximumDuration:)`` does, and where the descriptor is no regular file's.
    public static func load(_ descriptor: FileDescriptor) throws(RingerError) -> PCMBuffer {
        try load(try FileByteSource(descriptor), nil)
    }

    /// Reads and decodes a file that somebody else may be writing: one whose size has changed meanwhile is an error.
    ///
    /// - Parameter admit: Called with the size of the samples in bytes, before anything is decoded; throws where that is too
    ///   much.
    package static func load(
        _ file: FileByteSource, maximumDuration: Duration?, admit: (Int) throws(SoundFileError) -> Void
    ) throws(RingerError) -> PCMBuffer {
        let sound = try load(file, maximumDuration, admit)
        try file.checkSize()
        return sound
    }

    static func info(_ file: FileByteSource, _ maximumDuration: Duration?) throws(RingerError) -> SoundFileInfo {
        do {
            return try SoundFiles.info(file, atMost: maximumDuration)
        } catch {
            throw RingerError(error, reading: file)
        }
    }

    static func load(
        _ file: FileByteSource, _ maximumDuration: Duration?, _ admit: (Int) throws(SoundFileError) -> Void = { _ in }
    ) throws(RingerError) -> PCMBuffer {
        var sound: PCMBuffer
        do {
            sound = try SoundFiles.decode(file, maximumDuration: maximumDuration, admit: admit)
        } catch {
            throw RingerError(error, reading: file)
        }
        sound.shortfall?.file = file.path
        return sound
    }
}

/// Sounds that are read and decoded for calls, each known from its beginning until its samples are delivered. Any thread.
package final class FileLoads: Sendable {
    /// The end of a call.
    package enum End: Sendable {
        case loaded(PCMBuffer)
        case failed(RingerError)
        /// Nobody waits for the sound any more.
        case stopped(SoundOutcome.StopCause)
    }

    private let player: SoundPlayer
    private let loads: SoundReadQueue
    private let calls = CompletionTable<UInt64, End>()
    private var core: Core { player.core }

    /// - Parameter isApart: Whether they have a budget of their own, instead of the one of the device's sounds: reads that never
    ///   return hold up no others then.
    package init(_ player: SoundPlayer, isApart: Bool = false) {
        self.player = player
        loads = isApart ? SoundReadQueue(player.clock, player.core) : player.loads
    }

    /// Loads the sound of the file at `path` for a sound with a reserved number; it is decoded once for all calls that wait for
    /// it. `completion` is called once, inside the transition in which that is over: what it begins can be stopped from then
    /// on.
    package func load(
        _ path: String, as id: SoundPlayer.ID, _ completion: @escaping @Sendable (End) -> Void
    ) {
        load(.played(path), as: id, completion) { refusal, _ throws(RingerError) in
            if let refusal { throw refusal }
            return try SoundLoader.load(path)
        }
    }

    /// Loads what `read` returns, which is called aside: with an error it must not read, and returns what can be had without.
    /// Its second argument says whether the call still waits. Cancelling the task ends the call.
    package func load(
        _ read: @escaping @Sendable (RingerError?, @escaping @Sendable () -> Bool) throws(RingerError) -> PCMBuffer
    ) async -> End {
        let id = player.reserve()
        return await outcome(core, { load(.call(id.number), as: id, $0, read) }, onCancel: { stop(id) })
    }

    private func load(
        _ key: SoundKey, as id: SoundPlayer.ID, _ completion: @escaping @Sendable (End) -> Void,
        _ read: @escaping @Sendable (RingerError?, @escaping @Sendable () -> Bool) throws(RingerError) -> PCMBuffer
    ) {
        core.transition { calls.add(id.number, completion) }
        let isWanted: @Sendable () -> Bool = { [core, calls] in core.read { calls.contains(id.number) } }
        let call = SoundReadQueue.Call(isWanted: isWanted) { refusal in
            SoundSource.Loaded { () throws(RingerError) in try read(refusal, isWanted) }
        } deliver: { [calls] loaded in
            let sound = loaded.sound.map { End.loaded($0) }
            calls.complete(id.number, with: loaded.error.map { .failed($0) } ?? sound ?? .stopped(.caller))
        }
        // It is not known how large the sound is: two are decoded at a time.
        loads.load(key, bytes: SoundReadQueue.mostBytes / SoundReadQueue.mostAtOnce, for: call)
    }

    /// Ends a call that waits.
    package func stop(_ id: SoundPlayer.ID) {
        core.transition { calls.complete(id.number, with: .stopped(.caller)) }
    }

    /// Ends the calls that wait.
    package func stopAll(because cause: SoundOutcome.StopCause = .caller) {
        core.transition { calls.completeAll(with: .stopped(cause)) }
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
            case .missingLibrary: .unsupported
            case .truncatedHeader, .chunkTooLong, .missingChunk, .truncatedData, .readFailed: .soundIncomplete
            default: file.size == 0 ? .soundIncomplete : .invalid
            }
        self.init(code, "decode the sound", file.path, detail: "\(error)")
    }

    /// The error of samples of which there are none, or none from a frame on.
    static func withoutSound(_ subject: String, from frame: Int = 0) -> RingerError {
        let place = frame > 0 ? " from frame \(frame) on" : ""
        return RingerError(.invalid, "play it", subject, detail: "it has no frames" + place)
    }

    /// Whether reading the same sound again may succeed: the system could not read it, or not in time, or its file ended too
    /// early and may be being written. A file that is no sound stays one.
    var mayPass: Bool { errno != nil || code == .soundIncomplete || code == .timedOut }
}

extension RingerError.Code {
    /// A sound is longer than a system sound may be.
    public static let soundTooLong = RingerError.Code(rawValue: "soundTooLong")
    /// A sound file ends too early: it was cut off, or somebody is writing it.
    public static let soundIncomplete = RingerError.Code(rawValue: "soundIncomplete")
}
