import Ringer
import RingerHardware

/// Reads files on threads of their own. It runs on the event loop's thread.
// SAFETY: all state is used on the loop's thread alone, where the tasks that load sounds run.
final class FileReads: @unchecked Sendable {
    private let loop: EventLoop
    private var count = 0

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Whether a thread is at work.
    var areRunning: Bool { count > 0 }

    /// Calls `read` on a thread of its own, and then `completion`, with nil where the system has no thread left.
    func start<Value: Sendable>(
        _ read: @escaping @Sendable () -> Value, completion: @escaping @Sendable (Value?) -> Void
    ) {
        count += 1
        Task(executorPreference: loop) { [self] in
            let value = try? await DetachedThread.run(read)
            count -= 1
            completion(value)
        }
    }

    /// Reads the sound file at `path`, whose samples `share` takes of the budget.
    func load(_ path: String, for share: BudgetShare) async throws -> PCMBuffer {
        try await whileReading {
            try await SoundLoader.loadElsewhere(path) {
                try share.take($0, of: .decoded)
            } _: { () throws(RingerError) in
                try FileByteSource(path)
            }
        }
    }

    /// Reads a caller's sound file, whose samples `share` takes of the budget.
    func load(
        _ file: CallerFile, maximumDuration: Duration? = nil, for share: BudgetShare
    ) async throws -> PCMBuffer {
        try await whileReading { try await file.load(maximumDuration: maximumDuration, for: share) }
    }

    /// The samples of a system sound; nil for one that has none. It may be one that a file overrides. Where they are not in the
    /// device's memory yet, `share` takes them of the budget; nil for a sound of the device's own.
    func samples(
        of id: SystemSoundID, _ sounds: SystemSoundServices, for share: BudgetShare?
    ) async throws -> PCMBuffer? {
        if let samples = sounds.samplesInMemory(of: id) { return samples }
        let samples = try await elsewhere("system sound \(id)") { try sounds.samples(of: id) }
        if let samples { try share?.take(samples.samples.count * MemoryLayout<Int16>.size, of: .decoded) }
        return samples
    }

    /// Returns what `body` returns, which runs on a thread of its own: it may take long.
    ///
    /// - Parameter name: What it reads, for the error where the system has no thread left.
    func elsewhere<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await whileReading { try await SoundLoader.elsewhere(name, body) }
    }

    /// Returns what `load` read for the calling task's request. Throws `CancellationError` where that was stopped meanwhile:
    /// a sound that began now would cut off others.
    private func whileReading<Value>(_ load: () async throws -> Value) async throws -> Value {
        count += 1
        defer { count -= 1 }
        do {
            let sound = try await load()
            try Task.checkCancellation()
            return sound
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }
}
