import RingerCore
import RingerBus
import Synchronization

/// Reads sounds for one client, on other threads than the event loop's, within the bounds that the device's own sounds have: a
/// file that cannot be read in time holds up no other client. It runs on the event loop's thread.
final class FileReads: Sendable {
    private let files: FileLoads

    init(_ device: Device) {
        files = FileLoads(device.player, isApart: true)
    }

    /// Reads the sound file at `path`, whose samples `share` takes of the budget.
    func load(_ path: String, for share: BudgetShare) async throws -> PCMBuffer {
        try await decode(for: share) { isWanted throws(RingerError) in try FileByteSource(path, while: isWanted) }
    }

    /// Reads a caller's sound file, whose samples `share` takes of the budget.
    func load(
        _ file: CallerFile, maximumDuration: Duration? = nil, for share: BudgetShare
    ) async throws -> PCMBuffer {
        try await decode(maximumDuration, for: share) { isWanted throws(RingerError) in try file.open(while: isWanted) }
    }

    /// The samples of a system sound, which may be one that a file overrides. Where they are not in the device's memory yet,
    /// `share` takes them of the budget; nil for a sound of the device's own.
    func samples(
        of id: SystemSoundID, _ sounds: SystemSoundServices, for share: BudgetShare?
    ) async throws -> PCMBuffer {
        if let samples = sounds.samplesInMemory(of: id) { return samples }
        let sound = try await elsewhere { refusal, _ throws(RingerError) in
            // A request ends before a read that hangs, which counts until it is over.
            defer { withExtendedLifetime(share) {} }
            guard let samples = try sounds.samples(of: id, refusal) else {
                throw RingerError(.notFound, "look for the sound", "system sound \(id)")
            }
            return samples
        }
        try share?.take(sound.bytes, of: .decoded)
        return sound
    }

    /// The sound of clips that are joined, which `share` takes of the budget before it is made: files as they are decoded, each of
    /// which goes once it was copied, and those that are the device's own here.
    func joined(
        _ clips: [SoundArgument], _ sounds: SystemSoundServices, for share: BudgetShare
    ) async throws -> PCMBuffer {
        var buffers: [PCMBuffer] = []
        for clip in clips {
            let samples = try await clip.samples(sounds, self, for: share)
            if case .number = clip { try share.take(samples.bytes, of: .decoded) }
            buffers.append(samples)
        }
        // Each clip is there twice while it is copied.
        let copy = share.another()
        if clips.count > 1 {
            let largest = buffers.map(\.samples.count).max() ?? 0
            try copy.take(largest * MemoryLayout<Int16>.size, of: .decoded)
        }
        // It takes long for long ones.
        let parts = Mutex(consume buffers)
        return try await elsewhere { _, _ throws(RingerError) in
            // A request may end before it, and its part of the budget does not.
            defer { withExtendedLifetime((share, copy)) {} }
            return try parts.withLock { clips throws(RingerError) in try Announcement.join(&clips) }
        }
    }

    private func decode(
        _ maximumDuration: Duration? = nil, for share: BudgetShare,
        _ open: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(RingerError) -> FileByteSource
    ) async throws -> PCMBuffer {
        // The budget's own error says what is used up.
        let excess = Mutex<BusError?>(nil)
        do {
            return try await elsewhere { refusal, isWanted throws(RingerError) in
                if let refusal { throw refusal }
                return try SoundLoader.load(try open(isWanted), maximumDuration: maximumDuration) {
                    bytes throws(SoundFileError) in
                    do throws(BusError) {
                        try share.take(bytes, of: .decoded)
                    } catch {
                        excess.withLock { $0 = error }
                        throw SoundFileError(
                            .readFailed, expected: "a sound within the budget", found: "\(bytes) bytes",
                            underlying: error)
                    }
                }
            }
        } catch {
            if let refusal = excess.withLock({ $0 }) { throw refusal }
            throw error
        }
    }

    /// Returns what `read` returned for the calling task's request. Throws `CancellationError` where that was stopped meanwhile:
    /// a sound that began now would cut off others.
    private func elsewhere(
        _ read: @escaping @Sendable (RingerError?, @escaping @Sendable () -> Bool) throws(RingerError) -> PCMBuffer
    ) async throws -> PCMBuffer {
        let end = await files.load(read)
        try Task.checkCancellation()
        switch end {
        case .loaded(let sound): return sound
        case .failed(let error): throw error
        case .stopped: throw CancellationError()
        }
    }
}
