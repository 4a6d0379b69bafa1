import Glibc
import Ringer
import SystemPackage

/// The service's configuration file: the hardware, as `Device.Hardware` takes it, and who may do what.
///
/// A line is `KEY = VALUE`; `#` begins a comment. `dist/ringerd.conf` shows every key.
package struct ServiceConfiguration: Sendable {
    /// The device's parts.
    package var hardware = Device.Hardware(following: .all)
    /// The users that may do everything: names or numbers.
    package var controllingUsers = ["root"]
    /// The groups that may do everything.
    package var controllingGroups = ["ringer"]
    /// The groups that may play.
    package var playingGroups = ["audio"]
    /// The file that keeps the preferences; nil where they are not kept.
    package var preferencesFile: String?

    /// The configuration of a file without a line.
    package init() {}

    /// Reads the file at `path`.
    ///
    /// - Throws: ``RingerError`` naming the file and the line.
    package init(path: String) throws(RingerError) {
        try self.init(text: try TextFile.read(path), path: path)
    }

    /// The configuration that `text` describes; `path` names it in errors.
    package init(text: String, path: String) throws(RingerError) {
        var keys: Set<String> = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }.trimmed
            if content.isEmpty { continue }
            func refuse(_ detail: String) -> RingerError {
                RingerError(.invalid, "read the configuration", "\(path), line \(index + 1)", detail: detail)
            }
            let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw refuse("\"\(content)\" is not of the form KEY = VALUE") }
            let (key, value) = (parts[0].trimmed, parts[1].trimmed)
            guard keys.insert(key).inserted else { throw refuse("\(key) is set a second time") }
            do throws(RingerError) {
                guard try set(key, value) else { throw refuse("there is no key \"\(key)\"") }
            } catch {
                throw error.subject.hasPrefix(path) ? error : refuse("\(key): \(error)")
            }
        }
    }

    /// - Returns: Whether there is such a key.
    private mutating func set(_ key: String, _ value: String) throws(RingerError) -> Bool {
        func list() -> [String] { value.split { $0 == " " || $0 == "," }.map(String.init) }
        func refuse(_ expected: String) -> RingerError {
            RingerError(.invalid, "use \"\(value)\"", key, detail: "expected \(expected)")
        }
        func boolean() throws(RingerError) -> Bool {
            guard value == "yes" || value == "no" else { throw refuse("yes or no") }
            return value == "yes"
        }
        func seconds() throws(RingerError) -> Duration {
            guard let number = Double(value), (0...3600).contains(number) else {
                throw refuse("a number of seconds from 0 to 3600")
            }
            return .seconds(number)
        }
        switch key {
        case "switch": hardware.ringSilent = try SwitchSpecification(value)
        case "motor": hardware.motor = try MotorSpecification(value)
        case "pcm": hardware.pcm = value
        case "card": hardware.card = value
        case "mixer-element": hardware.volumeElement = value
        case "microphone": hardware.hasOwnMicrophone = try boolean()
        case "busy-patience": hardware.busyPatience = try seconds()
        case "linger": hardware.linger = try seconds()
        case "real-time-priority":
            guard let priority = Int(value), (1...99).contains(priority) else { throw refuse("a number from 1 to 99") }
            hardware.realTimePriority = priority
        case "controlling-users": controllingUsers = list()
        case "controlling-groups": controllingGroups = list()
        case "playing-groups": playingGroups = list()
        case "preferences-file": preferencesFile = value
        default:
            guard key.hasPrefix("route-"), let route = AudioRoute(rawValue: String(key.dropFirst(6))) else {
                return false
            }
            hardware.routes[route] = value
        }
        return true
    }

    /// The authorization, with the users' and groups' numbers as the system knows them now. A group that does not exist has
    /// no members; a user or group may be a number.
    package var authorization: Authorization {
        var authorization = Authorization()
        authorization.controllingUsers = Set(
            controllingUsers.compactMap { name in UInt32(name) ?? getpwnam(name)?.pointee.pw_uid })
        authorization.controllingGroups = Self.groups(controllingGroups)
        authorization.playingGroups = Self.groups(playingGroups)
        return authorization
    }

    private static func groups(_ names: [String]) -> Set<UInt32> {
        Set(names.compactMap { name in UInt32(name) ?? getgrnam(name)?.pointee.gr_gid })
    }
}

extension Substring {
    /// The text without the blanks at both ends.
    fileprivate var trimmed: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}

/// Small text files.
enum TextFile {
    /// Reads a file of at most 1 MiB.
    static func read(_ path: String) throws(RingerError) -> String {
        do {
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
            defer { try? file.close() }
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while bytes.count < 1 << 20 {
                let count = try part.withUnsafeMutableBytes { try file.read(into: $0) }
                if count == 0 { break }
                bytes += part[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw RingerError("read", path, (error as? Errno) ?? .ioError)
        }
    }
}
