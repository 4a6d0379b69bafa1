import RingerCore

/// How much feedback is given: the profile, which its file keeps, and the levels of applications and events beside it. It
/// runs on the event loop's thread, and writes the file on a thread of its own.
final class FeedbackProfile {
    /// The level of the profile.
    private(set) var level = FeedbackLevel.full
    /// Why the profile that was kept is not known: it counts as silent until one is set. Nil where it is known, or none was kept.
    private(set) var problem: RingerError?
    private let configuration: FeedbackService.Configuration
    /// Keeps the profile; nil where it is not kept.
    private let file: TextFileWriter?

    /// The profile that was kept, or else full.
    init(_ configuration: FeedbackService.Configuration) {
        self.configuration = configuration
        file = configuration.profileFile.map { TextFileWriter(path: $0) }
        do throws(RingerError) {
            if let file = configuration.profileFile { level = try Self.read(file) }
        } catch {
            // It may have been silent.
            if error.code != .notFound { (level, problem) = (.silent, error) }
        }
    }

    private static func read(_ file: String) throws(RingerError) -> FeedbackLevel {
        let line = try TextFile.read(file).split(separator: "\n").first ?? ""
        guard let level = FeedbackLevel(rawValue: String(line)) else {
            throw RingerError(.invalid, "read", file, detail: "its first line is not full, quiet or silent")
        }
        return level
    }

    /// Sets the profile, and writes it to its file; calls `completion` then, on the thread that writes; at once
    /// where it is not kept.
    func set(_ level: FeedbackLevel, _ completion: @escaping TextFileWriter.Completion) {
        self.level = level
        guard let file else { return completion(nil) }
        file.write(level.rawValue + "\n", completion)
    }

    /// Waits until the profile is written.
    func finish() {
        file?.finish()
    }

    /// The level of an event now, as profiles and hints say. What the switch permits is the policy's to say.
    func level(_ app: String, _ hints: FeedbackHints = FeedbackHints([:])) -> FeedbackLevel {
        let ignoresProfile = hints.isImportant && configuration.important.contains(app)
        return min(ignoresProfile ? .full : level, min(hints.level ?? .silent, configuration.profiles[app] ?? .full))
    }
}
