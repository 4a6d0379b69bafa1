import Glibc
import RingerLinux
import RingerClient
import RingerTerminal
import Synchronization
import SystemPackage

/// What `ringer doctor` finds of the sources of silence besides the switch, as ringerd.conf names them: the file of the kept position,
/// push buttons, the light; and the quiet hours of the service that runs.
struct SilenceFindings {
    typealias Finding = DoctorCommand.Finding

    /// Where the service's configuration is, and where systemd has it keep its state.
    static let standardPath = "/etc/ringer/ringerd.conf"
    private static let stateFolder = "/var/lib/ringer"

    /// The keys of the configuration, which ringerd itself checks.
    private var settings: [String: String] = [:]
    private var problem: RingerError?

    /// - Parameter path: The configuration; nil for the standard one, where there is one.
    init(_ path: String?) {
        let path = path ?? (access(Self.standardPath, F_OK) == 0 ? Self.standardPath : nil)
        guard let path else { return }
        do throws(RingerError) {
            for line in try InputFile.read(path).split(whereSeparator: \.isNewline) {
                let parts = line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map(Self.trimmed)
                if parts.count == 2 { settings[parts[0]] = parts[1] }
            }
        } catch {
            problem = error
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// Whether a push button is in the switch's place.
    var hasButtonAsSwitch: Bool { settings["switch"]?.hasPrefix("button:") == true }

    /// The findings; `isServed` is whether the service runs, which may hold a button's line.
    func all(isServed: Bool) throws -> [Finding] {
        var findings = problem.map { [Finding(part: "config", problem: $0.description, isOptional: true)] } ?? []
        if let position { findings.append(position) }
        for text in [hasButtonAsSwitch ? settings["switch"] : nil, settings["button"]].compactMap(\.self) {
            findings.append(try Self.button(text.hasPrefix("button:") ? text : "button:" + text, isServed))
        }
        if let light = settings["silent-light"] { findings.append(Self.light(light)) }
        return findings
    }

    private var position: Finding? {
        let isStandard = settings["position-file"] == nil
        let path = settings["position-file"] ?? Self.stateFolder + "/position"
        if path == "none" {
            return Finding(
                part: "position", problem: "the kept position does not outlast a restart: position-file = none",
                isOptional: true)
        }
        if isStandard && access(Self.stateFolder, F_OK) != 0 { return nil }
        let (text, problem) = Device.examinePosition(in: path)
        guard let problem else { return Finding(part: "position", name: text) }
        let repair: Repair =
            switch problem.code {
            case .invalid: "set it anew: ringer silent off, or a press of the button"
            case .permissionDenied: "look as root: sudo ringer doctor"
            case .notFound where path.hasPrefix("/"): .makeServiceFolder(FilePath(path).removingLastComponent().string)
            case .notFound: "make its folder, or name another one: position-file = in ringerd.conf"
            default: "name a file on a file system that can be written: position-file = in ringerd.conf"
            }
        return Finding(
            part: "position", name: path, problem: problem.description, repair: repair,
            isOptional: problem.code == .permissionDenied)
    }

    private static func button(_ text: String, _ isServed: Bool) throws -> Finding {
        let loop = try EventLoop(name: "ringer-doctor")
        defer { loop.close() }
        do throws(RingerError) {
            let contact = try SwitchSpecification(text).make(loop: loop)
            let isDown = Mutex<Bool?>(nil)
            defer { contact.close() }
            try contact.start { event in
                if case .position(let position, _) = event { isDown.withLock { $0 = $0 ?? (position == .silent) } }
            }
            if isDown.withLock({ $0 }) == true {
                return Finding(
                    part: "button", name: contact.name, problem: "it is held down, or stuck",
                    repair: "release it; if it is up, its polarity is the other one: active-low")
            }
            return Finding(part: "button", name: contact.name)
        } catch {
            if isServed && error.code == .busy {
                return Finding(part: "button", name: "\(text), which the service reads")
            }
            return Finding(
                part: "button", problem: error.description,
                repair: "see docs/hardware.md, \"Only a push button\", and name it: switch = button:... or button =")
        }
    }

    private static func light(_ name: String) -> Finding {
        let path = "/sys/class/leds/\(name)/brightness"
        if access(path, F_OK) != 0 {
            return Finding(
                part: "silent-light", problem: "no LED \(name)",
                repair: "name one of ls /sys/class/leds: silent-light =")
        }
        if access(path, W_OK) != 0 {
            return Finding(
                part: "silent-light", name: "LED \(name)", problem: "this user may not write \(path)",
                repair: "look as root: sudo ringer doctor", isOptional: true)
        }
        return Finding(part: "silent-light", name: "LED \(name)")
    }

    /// The quiet hours of a connected device, and what makes them unsure.
    static func quietHours(of device: Device) -> Finding {
        let (preferences, state) = (device.preferences, device.state)
        if preferences.quietHours.spans.isEmpty { return Finding(part: "quiet", name: "no quiet hours") }
        var text = "\(preferences.quietHours): "
        var now: [String] = []
        func add(_ words: String, until end: Int64?) {
            now.append(words + (end.map { ", until \(localTime($0))" } ?? ""))
        }
        if let position = state.quietHours { add("\(position.rawValue) now", until: state.quietHoursUntil) }
        if let volume = state.quietHoursVolume { add("volume \(volume) now", until: state.quietHoursVolumeUntil) }
        text += now.isEmpty ? "not now" : now.joined(separator: "; ")
        var finding = Finding(part: "quiet", name: text)
        // As the quiet hours themselves see it: the beginning of 2026.
        if time(nil) < 1_767_225_600 {
            finding.problem = "the clock was never set: \(now.isEmpty ? "ring" : now.joined(separator: "; "))"
            finding.repair = "set it: timedatectl set-ntp true, or a real-time clock"
        } else if let problem = Device.timeZoneProblem() {
            finding.problem = problem.description
            finding.repair = "set the zone: timedatectl set-timezone Europe/Berlin"
        }
        return finding
    }
}
