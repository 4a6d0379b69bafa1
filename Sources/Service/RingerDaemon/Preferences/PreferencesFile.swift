import Glibc
import RingerCore
import Synchronization

/// The file that keeps the preferences. It is used on any thread, and writes on one of its own.
package final class PreferencesFile: Sendable {
    package typealias Completion = @Sendable (RingerError?) -> Void

    /// The file's path.
    package let path: String
    private let writer: TextFileWriter
    private let readError = Mutex<RingerError?>(nil)

    /// The file at `path`, which need not exist.
    package init(path: String) {
        self.path = path
        writer = TextFileWriter(path: path)
    }

    /// Why the file could not be read when that was tried last; nil where it was read, or there is none. It is not written then.
    package var unreadable: RingerError? { readError.withLock { $0 } }

    /// Reads the preferences; those of a new device where there is no file. A key that is not known is reported and skipped: a
    /// newer version may have written it. A file with wrong contents is renamed, `.damaged` is added to its name, and the
    /// preferences are ``UserPreferences/unread``. It waits for the disk.
    ///
    /// - Parameter report: Called with what is wrong with the file.
    /// - Returns: The preferences; nil where the file cannot be read. It may be read later, and is left as it is.
    package func read(_ report: (RingerError) -> Void) -> UserPreferences? {
        let (preferences, failure) = contents(report)
        readError.withLock { $0 = failure }
        if let failure { report(failure) }
        return preferences
    }

    private func contents(_ report: (RingerError) -> Void) -> (UserPreferences?, RingerError?) {
        do throws(RingerError) {
            return (try UserPreferences(text: try TextFile.read(path), path: path, report), nil)
        } catch {
            var error = error
            let aside = path + ".damaged"
            if TextFile.isMissing(path) {
                if access(aside, F_OK) != 0 { return (UserPreferences(), nil) }
                error.detail =
                    "it was damaged, and is now \(aside): until quiet hours are set, or that file is removed, the default preferences and quiet hours all day apply"
                report(error)
                return (.unread, nil)
            }
            // The system's reason: nothing is known of the contents.
            if error.errno != nil {
                error.detail = "the file is left as it is, and read again later"
                return (nil, error)
            }
            let detail = error.detail.map { $0 + "; " } ?? ""
            error.detail =
                rename(path, aside) == 0
                ? detail + "the default preferences and quiet hours all day apply, and the file is now \(aside)"
                : detail + "the default preferences and quiet hours all day apply"
            report(error)
            return (.unread, nil)
        }
    }

    /// Writes the preferences, and calls `completion` once they are durable, on the thread that writes. Of several calls that
    /// come while a write runs, the newest is written. A file that could not be read is not written.
    package func write(_ preferences: UserPreferences, _ completion: @escaping Completion) {
        if let unreadable { return completion(unreadable) }
        writer.write(preferences.text, completion)
    }

    /// Waits until everything is written that was to be written when it was called: at the end of the program.
    package func finish() { writer.finish() }
}

extension UserPreferences {
    /// The preferences while the owner's are not known: a new device's, with quiet hours all day.
    package static let unread = UserPreferences(quietHours: .always)

    /// The preferences that `text` sets, over those of a new device; `path` names it in errors. Keys that are not known are
    /// reported.
    ///
    /// - Throws: ``RingerError`` naming the file and the line.
    init(text: String, path: String, _ report: (RingerError) -> Void) throws(RingerError) {
        self.init()
        var preferences = self
        try SettingLines.read(
            text, path: path, operation: "read the preferences",
            unknown: { error throws(RingerError) in report(error) }
        ) { key, value throws(RingerError) in
            try preferences.set(key, value)
        }
        self = preferences
    }

    /// The text that ``init(text:path:_:)`` reads.
    var text: String {
        let lines = UserPreference.all.map { preference in
            let value =
                switch preference.value {
                case .flag(let path): self[keyPath: path] ? "yes" : "no"
                case .fraction(let path): "\(self[keyPath: path])"
                case .routes(let path): self[keyPath: path].names.joined(separator: ", ")
                case .position(let path): self[keyPath: path].rawValue
                case .quietHours(let path): "\(self[keyPath: path])"
                case .decibels(let path): "\(self[keyPath: path])"
                case .milliseconds(let path): "\(self[keyPath: path].milliseconds)"
                case .alertsDuringCall(let path): self[keyPath: path].rawValue
                }
            return "\(preference.hyphenated) = \(value)\n"
        }
        return "# The user's preferences, as ringerd wrote them. Change them over D-Bus, or while it does not run.\n"
            + lines.joined()
    }

    /// - Returns: Whether there is such a key.
    private mutating func set(_ key: String, _ value: String) throws(RingerError) -> Bool {
        guard let preference = UserPreference.all.first(where: { $0.hyphenated == key }) else { return false }
        switch preference.value {
        case .flag(let path): self[keyPath: path] = try SettingLines.boolean(key, value)
        case .fraction(let path): self[keyPath: path] = Float(try SettingLines.number(key, value, in: 0...1))
        case .routes(let path):
            self[keyPath: path] = []
            for name in SettingLines.words(value) {
                guard let route = AudioRoute(rawValue: name) else {
                    throw SettingLines.refuse(key, name, AudioRoute.allCases.map(\.rawValue).joined(separator: ", "))
                }
                self[keyPath: path].formUnion(AudioRouteSet(route))
            }
        case .position(let path):
            guard let position = SwitchPosition(rawValue: value) else {
                throw SettingLines.refuse(key, value, "ring, vibrate or silent")
            }
            self[keyPath: path] = position
        case .decibels(let path):
            self[keyPath: path] = Float(try SettingLines.number(key, value, in: UserPreferences.duckingDepths))
        case .milliseconds(let path):
            let most = Double(UserPreferences.longestDucking.milliseconds)
            self[keyPath: path] = .milliseconds(Int(try SettingLines.number(key, value, in: 0...most)))
        case .alertsDuringCall(let path):
            guard let choice = AlertsDuringCall(rawValue: value) else {
                throw SettingLines.refuse(
                    key, value, AlertsDuringCall.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self[keyPath: path] = choice
        case .quietHours(let path):
            do throws(QuietHoursError) {
                self[keyPath: path] = try QuietHours(value)
            } catch {
                throw SettingLines.refuse(key, value, "quiet hours: \(error)")
            }
        }
        return true
    }
}
