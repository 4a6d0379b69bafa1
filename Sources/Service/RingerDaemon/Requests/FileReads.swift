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

    /// Calls `read` on a thread of its own, and then `completion`.
    func start<Value: Sendable>(
        _ read: @escaping @Sendable () -> Value, completion: @escaping @Sendable (Value) -> Void
    ) {
        count += 1
        Task(executorPreference: loop) { [self] in
            let value = await DetachedThread.run(read)
            count -= 1
            completion(value)
        }
    }

    /// Reads the sound file at `path`.
    func load(_ path: String) async throws -> PCMBuffer {
        try await whileReading { try await SoundLoader.loadElsewhere(path) }
    }

    /// Reads a caller's sound file.
    func load(_ file: CallerFile, maximumDuration: Duration? = nil) async throws -> PCMBuffer {
        try await whileReading { try await file.load(maximumDuration: maximumDuration) }
    }

    /// Returns what `load` read for the calling task's request. Throws `CancellationError` where that was stopped meanwhile:
    /// a sound that began now would cut off others.
    private func whileReading(_ load: () async throws -> PCMBuffer) async throws -> PCMBuffer {
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
