import CLinux
import Glibc
import RingerLinux
import RingerDaemon

/// The service's configuration file: the hardware, as `Device.Hardware` takes it, and who may do what.
///
/// A line is `KEY = VALUE`; `#` begins a comment. `packaging/ringerd.conf` shows every key.
package struct ServiceConfiguration: Sendable {
    /// The device's parts.
    package var hardware = Device.Hardware(following: .all)
    /// The users that may do everything: names or numbers.
    package var controllingUsers = ["root"]
    /// The groups that may do everything.
    package var controllingGroups = ["ringer"]
    /// The groups that may play.
    package var playingGroups = ["audio"]
    /// What users may have of the service.
    package var limits = Budget.Limits()
    /// The file that keeps the preferences; nil where they are not kept. By default it is in the directory that systemd
    /// makes for the service's state, where there is one.
    package var preferencesFile = getenv("STATE_DIRECTORY").map { String(cString: $0) + "/preferences" }
    /// The file that keeps the position that programs set; nil where it is not kept. By default it is beside the preferences.
    package var positionFile = getenv("STATE_DIRECTORY").map { String(cString: $0) + "/position" }
    /// The position where that file does not exist yet.
    package var initialPosition = SwitchPosition.ring

    /// Whether feedbackd's interface is served too.
    package var servesFeedback = true
    /// What it says of feedback.
    package var feedback: FeedbackService.Configuration = {
        var feedback = FeedbackService.Configuration()
        feedback.profileFile = getenv("STATE_DIRECTORY").map { String(cString: $0) + "/feedback-profile" }
        return feedback
    }()

    /// The configuration of a file without a line.
    package init() {}

    /// Reads the file at `path`.
    ///
    /// - Throws: ``RingerError`` naming the file and the line.
    package init(path: String) throws(RingerError) {
        try self.init(text: try SettingLines.text(of: path), path: path)
    }

    /// The configuration that `text` describes; `path` names it in errors.
    package init(text: String, path: String) throws(RingerError) {
        var configuration = self
        try SettingLines.read(text, path: path, operation: "read the configuration") { key, value throws(RingerError) in
            try configuration.set(key, value)
        }
        self = configuration
    }

    /// - Returns: Whether there is such a key.
    private mutating func set(_ key: String, _ value: String) throws(RingerError) -> Bool {
        func list() -> [String] { SettingLines.words(value) }
        func seconds() throws(RingerError) -> Duration {
            .seconds(try SettingLines.number(key, value, in: 0...3600, "a number of seconds"))
        }
        /// A name; without one, the line is one that somebody did not finish.
        func text() throws(RingerError) -> String {
            if value.isEmpty { throw SettingLines.refuse(key, value, "a value") }
            return value
        }
        switch key {
        case "switch": hardware.ringSilent = try SwitchSpecification(value)
        case "button": hardware.button = try SwitchSpecification(value.hasPrefix("button:") ? value : "button:" + value)
        case "motor": hardware.motor = try MotorSpecification(value)
        case "status-light": hardware.statusLight = try text()
        case "silent-light": hardware.silentLight = try text()
        case "pcm": hardware.pcm = try text()
        case "card": hardware.card = try text()
        case "mixer-element": hardware.volumeElement = try text()
        case "volume-keys": hardware.volumeKeys = try SettingLines.boolean(key, value)
        case "microphone": hardware.hasOwnMicrophone = try SettingLines.boolean(key, value)
        case "busy-patience": hardware.busyPatience = try seconds()
        case "linger": hardware.linger = try seconds()
        case "real-time-priority":
            guard let priority = Int(value), (1...99).contains(priority) else {
                throw SettingLines.refuse(key, value, "a number from 1 to 99")
            }
            hardware.realTimePriority = priority
        case "controlling-users": controllingUsers = list()
        case "controlling-groups": controllingGroups = list()
        case "playing-groups": playingGroups = list()
        case "preferences-file": preferencesFile = value == "none" ? nil : try text()
        case "position-file": positionFile = value == "none" ? nil : try text()
        case "initial-position":
            guard let position = SwitchPosition(rawValue: value) else {
                throw SettingLines.refuse(key, value, "ring, vibrate or silent")
            }
            initialPosition = position
        case "feedback": servesFeedback = try SettingLines.boolean(key, value)
        case "feedback-important": feedback.important = Set(list())
        case "feedback-profile-file": feedback.profileFile = value == "none" ? nil : try text()
        case let key where key.hasPrefix("feedback-profile-"):
            guard let level = FeedbackLevel(rawValue: value) else {
                throw SettingLines.refuse(key, value, "full, quiet or silent")
            }
            feedback.profiles[String(key.dropFirst("feedback-profile-".count))] = level
        default:
            if let resource = Budget.Resource.allCases.first(where: { $0.key == key }) {
                let range = resource.configurable
                guard let number = Int(value), range.contains(number) else {
                    throw SettingLines.refuse(
                        key, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
                }
                limits[resource] = number * resource.scale
                return true
            }
            guard key.hasPrefix("route-"), let route = AudioRoute(rawValue: String(key.dropFirst(6))) else {
                return false
            }
            hardware.routes[route] = try text()
        }
        return true
    }

    /// The authorization, with the users' and groups' numbers as /etc/passwd and /etc/group have them now: other sources
    /// might wait for a network. A group that does not exist has no members; a user or group may be a number.
    package var authorization: Authorization {
        ringer_use_local_accounts()
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
