import Glibc
import RingerLinux
import RingerTerminal

/// What `ringer doctor` finds of PipeWire, where `ringer-pipewire` is installed: what that program lists, and whether the
/// rules are in force by which streams are born silent.
struct PipeWireFindings {
    typealias Finding = DoctorCommand.Finding

    /// Since when streams are silenced by construction; before, it is best effort.
    private static let firstVersion = [0, 3, 72]
    private static let rules = "50-ringer.conf"
    private static let folders = ["client.conf.d", "pipewire-pulse.conf.d"]

    /// The findings; none where the program is not installed.
    static func all() -> [Finding] {
        let command = "LC_ALL=C PIPEWIRE_DEBUG=0 ringer-pipewire --list 2>&1 </dev/null"
        guard let stream = popen(command, "r") else { return [] }
        var text = ""
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        while getline(&line, &size, stream) > 0 { text += line.map { String(cString: $0) } ?? "" }
        free(line)
        let status = pclose(stream) >> 8 & 0xff
        // The shell's, for a program that is not there.
        if status == 127 { return [] }
        var places: [String] = []
        if let home = getenv("XDG_CONFIG_HOME") {
            places.append(String(cString: home))
        } else if let home = getenv("HOME") {
            places.append(String(cString: home) + "/.config")
        }
        places += ["/etc", "/usr/share"]
        return of(list: text, succeeded: status == 0) + rules(in: places.map { $0 + "/pipewire/" })
            + pastPipeWire()
    }

    /// The programs that play to a sound card themselves, which may be by Ringer.
    private static func pastPipeWire() -> [Finding] {
        OtherAudio().programs(otherThan: ["pipewire", "ringerd"]).map { program in
            let process = program.process.map { " (\($0))" } ?? ""
            return Finding(
                part: "PipeWire", name: "\(program.name ?? "a program of unknown name")\(process)",
                problem:
                    "it has opened \(program.pcm) itself, not through PipeWire: it obeys only if it plays by Ringer",
                repair: "have it play to PipeWire, or by Ringer: docs/alsa.md, docs/swift.md", isOptional: true)
        }
    }

    /// The findings in what the program printed.
    static func of(list: String, succeeded: Bool) -> [Finding] {
        let lines = list.split(separator: "\n").map(String.init)
        guard succeeded, let version = lines.first?.split(separator: " ").last else {
            return [
                Finding(
                    part: "PipeWire", problem: lines.last ?? "ringer-pipewire prints nothing",
                    repair: "run ringer doctor as the user whose session has PipeWire", isOptional: true)
            ]
        }
        let isOld = version.split(separator: ".").compactMap { Int($0) }.lexicographicallyPrecedes(firstVersion)
        var findings = [
            Finding(
                part: "PipeWire", name: String(version),
                problem: isOld ? "before 0.3.72 a part of a sound may be heard at silent" : nil,
                repair: isOld
                    ? "Debian 12 has a later one: apt-get install -t bookworm-backports pipewire wireplumber" : nil,
                isOptional: true)
        ]
        if lines.contains("ringer-pipewire runs") {
            findings.append(Finding(part: "PipeWire", name: "ringer-pipewire runs"))
        } else {
            findings.append(
                Finding(
                    part: "PipeWire", problem: "ringer-pipewire does not run: what begins now stays silent",
                    repair: "systemctl --user enable --now ringer-pipewire; journalctl --user -u ringer-pipewire"))
        }
        findings += lines.filter { $0.contains(": cannot be silenced: ") }.map { line in
            Finding(part: "PipeWire", name: "stream", problem: line, isOptional: true)
        }
        return findings
    }

    /// Where each file of rules is: of the folders the first that has it counts, and a file there that does not name the property
    /// overrides it.
    static func rules(in places: [String]) -> [Finding] {
        folders.map { folder in
            let paths = places.map { "\($0)\(folder)/\(rules)" }
            guard let path = paths.first(where: { access($0, F_OK) == 0 }) else {
                return Finding(
                    part: "PipeWire", problem: "no \(folder)/\(rules): streams are born heard",
                    repair: "install ringer-pipewire anew")
            }
            let text = (try? InputFile.read(path)) ?? ""
            let isWhole = text.split(separator: "\n").contains { !$0.hasPrefix("#") && $0.contains("max-volume = 0") }
            return Finding(
                part: "PipeWire", name: path, problem: isWhole ? nil : "it overrides the rules: streams are born heard",
                isOptional: true)
        }
    }
}
