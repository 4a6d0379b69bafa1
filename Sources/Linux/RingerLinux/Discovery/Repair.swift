import Glibc
import RingerCore
import SystemPackage

/// How to repair a part of the device: a sentence for people, and the commands that it stands for.
///
/// Both are made here, from the same values, so that a report and a script say the same. Commands are those of a POSIX shell, for root, and may be
/// run again. What depends on more than the machine shows, as on how the board is wired, is the owner's to decide.
package struct Repair: Sendable, Hashable {
    /// The repair in one line.
    package let sentence: String
    /// The commands, one after another; none where people alone can do it.
    package let commands: [String]
    /// Whether the owner decides about the commands first.
    package let isDecision: Bool
    /// Whether the user has to log in again after it: groups count from then on.
    package let needsLogin: Bool

    private init(_ sentence: String, _ commands: [String], isDecision: Bool = false, needsLogin: Bool = false) {
        self.sentence = sentence
        self.commands = commands
        self.isDecision = isDecision
        self.needsLogin = needsLogin
    }

    /// A repair that is the commands themselves.
    private init(_ commands: [String], needsLogin: Bool = false) {
        self.init(
            commands.joined(separator: " && ") + (needsLogin ? ", then log in again" : ""), commands,
            needsLogin: needsLogin)
    }

    /// What the owner decides about; `commands` are those for one of the answers.
    package static func decision(_ sentence: String, commands: [String] = []) -> Repair {
        Repair(sentence, commands, isDecision: true)
    }

    /// The user of this process joins the group.
    package static func join(_ group: String) -> Repair {
        guard let command = joining(group) else {
            return .decision(
                "let a user of the group \(group) run it: user \(geteuid()) has no name, which a group's members have")
        }
        return Repair([command], needsLogin: true)
    }

    /// Nil where the user has no name.
    private static func joining(_ group: String) -> String? {
        Account.name(of: geteuid()).map { "usermod -aG \(word(group)) \(word($0))" }
    }

    /// The packages of Debian are installed.
    package static func install(_ package: String) -> Repair {
        let command = "apt-get install -y \(package)"
        // On a new machine the lists of packages are not there yet.
        return Repair(command, ["\(command) || { apt-get update && \(command); }"])
    }

    /// The folder, which is not there, is made for the service's user.
    package static func makeServiceFolder(_ path: String) -> Repair {
        var status = stat()
        if path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) {
            return "make its folder, and name it without ..: position-file = in ringerd.conf"
        }
        if lstat(path, &status) == 0 {
            return "make what the link leads to, or name another file: position-file = in ringerd.conf"
        }
        let command = "install -d -o ringer -g ringer -m 700 \(quoted(path))"
        // One that somebody made meanwhile is not taken from its owner.
        return Repair(
            "make its folder: \(command), and outside of /var/lib/ringer let the unit write there: ReadWritePaths=, by systemctl edit "
                + "ringerd; or name another file: position-file = in ringerd.conf",
            ["[ -e \(quoted(path)) ] || \(command)"])
    }

    /// ALSA's configuration of the machine has the line; `purpose` is what for.
    static func soundConfiguration(_ line: String, purpose: String) -> Repair {
        let file = "/etc/asound.conf"
        // It is what all programs of the machine play to.
        return Repair(
            "\(purpose), with this in \(file): \(line)", [adding(line, to: file)], isDecision: true)
    }

    /// The command that adds a line to a file that has not got it.
    private static func adding(_ line: String, to file: String) -> String {
        // A last line without its end gets one: command substitution takes a newline away.
        "grep -qsxF \(quoted(line)) \(file) || { [ -z \"$(tail -c 1 \(file) 2>/dev/null)\" ] || echo >> \(file); "
            + "printf '%s\\n' \(quoted(line)) >> \(file); }"
    }

    /// The name of a card in ALSA's configuration replaces the number that is there. By a command where the line is one of the
    /// machine's file, by hand in all other places.
    package static func cardName(in file: String = "/etc/asound.conf") -> Repair {
        let sentence = "write defaults.pcm.!card NAME in \(file): without the exclamation mark it takes a number"
        let pattern = "^\\([[:space:]]*\\)defaults\\.pcm\\.card"
        let lines = ((try? TextFile.read(file)) ?? "").split(whereSeparator: \.isNewline)
        guard lines.contains(where: { $0.drop(while: \.isWhitespace).hasPrefix("defaults.pcm.card") }) else {
            return .decision(
                "write defaults.pcm.!card NAME where ALSA's configuration has the name, as in ~/.asoundrc or \(file): without "
                    + "the exclamation mark it takes a number")
        }
        // Through a link, and with the owner that it has.
        return Repair(
            sentence,
            [
                "sed 's/\(pattern)/\\1defaults.pcm.!card/' \(file) > \(file).new", "cat \(file).new > \(file)",
                "rm \(file).new",
            ])
    }

    /// Gives a kind of device to a group, where the system reserves it to root.
    static func deviceRule(_ path: FilePath) -> Repair {
        if path.starts(with: HardwarePaths.standard.sound) {
            return rule(#"SUBSYSTEM=="sound", GROUP="audio", MODE="0660""#, of: "sound", group: "audio")
        }
        let file = path.lastComponent?.string ?? ""
        let prefix = Self.pattern(String(file.prefix { !$0.isNumber }))
        let kind = file.contains { $0.isNumber } ? prefix + "*" : prefix
        let group = file.hasPrefix("gpiochip") ? "gpio" : "input"
        return rule(#"KERNEL=="\#(kind)", GROUP="\#(group)", MODE="0660""#, of: prefix, group: group)
    }

    /// Gives the LED to the group `leds`.
    static func lightRule(_ led: String) -> Repair {
        let pattern = Self.pattern(led)
        return rule(
            #"SUBSYSTEM=="leds", KERNEL=="\#(pattern)", RUN+="/bin/chgrp -R leds /sys%p", "#
                + #"RUN+="/bin/chmod -R g+w /sys%p""#,
            of: "led-" + pattern, group: "leds")
    }

    /// The name in a rule: what means something else there stands for any character.
    private static func pattern(_ name: String) -> String {
        String(name.map { isPlain($0) || $0 == ":" ? $0 : "?" })
    }

    private static func rule(_ rule: String, of part: String, group: String) -> Repair {
        let member = joining(group)
        return Repair(
            ["groupadd -rf \(group)"] + [member].compactMap(\.self) + [
                adding(rule, to: "/etc/udev/rules.d/60-ringer-\(String(part.map { $0 == "?" ? "_" : $0 })).rules"),
                "udevadm control --reload", "udevadm trigger",
            ], needsLogin: member != nil)
    }

    /// `text` as one word of the shell.
    package static func quoted(_ text: String) -> String {
        // By bytes: a quotation mark and an accent that follows it are one character.
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }

    /// The same, as it is where the shell takes no character of it for something else.
    private static func word(_ name: String) -> String {
        !name.isEmpty && name.allSatisfy(isPlain) ? name : quoted(name)
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_-.".contains(character))
    }
}

extension Repair: CustomStringConvertible {
    package var description: String { sentence }
}

/// A sentence alone is for people to decide about.
extension Repair: ExpressibleByStringInterpolation {
    package init(stringLiteral sentence: String) {
        self = .decision(sentence)
    }
}
