import Glibc
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

    private init(_ sentence: String, _ commands: [String], isDecision: Bool = false) {
        self.sentence = sentence
        self.commands = commands
        self.isDecision = isDecision
    }

    /// A repair that is the commands themselves; `advice` follows them.
    private init(_ commands: [String], advice: String? = nil) {
        self.init(commands.joined(separator: " && ") + (advice.map { ", " + $0 } ?? ""), commands)
    }

    /// What the owner decides about; `commands` are those for one of the answers.
    package static func decision(_ sentence: String, commands: [String] = []) -> Repair {
        Repair(sentence, commands, isDecision: true)
    }

    /// The user of this process joins the group.
    package static func join(_ group: String) -> Repair {
        Repair(["usermod -aG \(group) \(Account.user(geteuid()))"], advice: "then log in again")
    }

    /// The packages of Debian are installed.
    package static func install(_ package: String) -> Repair {
        Repair(["apt-get install -y \(package)"])
    }

    /// The folder is made, for the service's user.
    package static func makeServiceFolder(_ path: String) -> Repair {
        let command = "install -d -o ringer -g ringer -m 700 \(quoted(path))"
        return Repair(
            "make its folder: \(command), and outside of /var/lib/ringer let the unit write there: ReadWritePaths=, by systemctl edit "
                + "ringerd; or name another file: position-file = in ringerd.conf", [command])
    }

    /// ALSA's configuration of the machine has the line; `purpose` is what for.
    static func soundConfiguration(_ line: String, purpose: String) -> Repair {
        let file = "/etc/asound.conf"
        // A last line without its end gets one: command substitution takes a newline away.
        let command =
            "grep -qsxF \(quoted(line)) \(file) || { [ -z \"$(tail -c 1 \(file) 2>/dev/null)\" ] || echo >> \(file); "
            + "printf '%s\\n' \(quoted(line)) >> \(file); }"
        // It is what all programs of the machine play to.
        return Repair("\(purpose), with this in \(file): \(line)", [command], isDecision: true)
    }

    /// The name of a card in ALSA's configuration replaces the number that is there.
    package static var cardName: Repair {
        let file = "/etc/asound.conf"
        return Repair(
            "write defaults.pcm.!card NAME in \(file): without the exclamation mark it takes a number",
            ["[ ! -e \(file) ] || sed -i 's/^\\([[:space:]]*\\)defaults\\.pcm\\.card/\\1defaults.pcm.!card/' \(file)"])
    }

    /// Gives a kind of device to a group, where the system reserves it to root.
    static func deviceRule(_ path: FilePath) -> Repair {
        let file = path.lastComponent?.string ?? ""
        let prefix = String(file.prefix { !$0.isNumber })
        let kind = file.drop { !$0.isNumber }.isEmpty ? file : prefix + "*"
        let group = file.hasPrefix("gpiochip") ? "gpio" : "input"
        return rule(#"KERNEL=="\#(kind)", GROUP="\#(group)", MODE="0660""#, of: prefix, group: group)
    }

    /// Gives the LED to the group `leds`.
    static func lightRule(_ led: String) -> Repair {
        rule(
            #"SUBSYSTEM=="leds", KERNEL=="\#(led)", RUN+="/bin/chgrp -R leds /sys%p", RUN+="/bin/chmod -R g+w /sys%p""#,
            of: "led-" + led, group: "leds")
    }

    private static func rule(_ rule: String, of part: String, group: String) -> Repair {
        Repair(
            [
                "groupadd -rf \(group)", "usermod -aG \(group) \(Account.user(geteuid()))",
                "printf '%s\\n' \(quoted(rule)) > \(quoted("/etc/udev/rules.d/60-ringer-\(part).rules"))",
                "udevadm control --reload", "udevadm trigger",
            ], advice: "then log in again")
    }

    /// `text` as one word of the shell.
    package static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
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
