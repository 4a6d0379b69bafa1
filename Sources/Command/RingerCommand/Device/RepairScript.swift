import RingerLinux
import RingerTerminal

/// The script that `ringer doctor --fix` prints: the repairs of what was found, for a POSIX shell that root runs.
///
/// Commands come from the same ``Repair`` as the sentence of the report. What the owner has to decide follows them as comments.
enum RepairScript {
    static func lines(for findings: [DoctorCommand.Finding]) -> [String] {
        var broken: [(reason: String, repair: Repair)] = []
        for finding in findings {
            // What is no fault needs no repair; of one overlay for several parts the first is enough.
            guard let problem = finding.problem, let repair = finding.repair,
                !broken.contains(where: { $0.repair == repair || isSame($0.repair, repair) })
            else { continue }
            let detail = [finding.name, problem].compactMap(\.self).joined(separator: ": ")
            broken.append(("\(finding.part): \(detail)", repair))
        }
        let repairs = broken.filter { !$0.repair.isDecision }
        let decisions = broken.filter(\.repair.isDecision)
        var lines = [
            "#!/bin/sh",
            "# Repairs what \"ringer doctor\" found missing. Read it, then run it as root. It may be run again.",
        ]
        if repairs.isEmpty {
            lines += ["", "# There is nothing to repair by a command."]
        } else {
            lines += [
                #"[ "$(id -u)" -eq 0 ] || { echo "$0: this must be run as root" >&2; exit 1; }"#,
                "# The PATH of a user may lack the folders of usermod and udevadm.",
                "PATH=$PATH:/usr/sbin:/sbin", "failed=",
            ]
        }
        for (reason, repair) in repairs {
            // One that fails does not keep the others from being made.
            lines += ["", "# \(reason)", "# Repair: \(repair)", "(", "set -e"] + repair.commands
            lines += [")", "[ $? -eq 0 ] || failed=1"]
        }
        if !decisions.isEmpty { lines += ["", "# The rest is for you to decide:"] }
        for (reason, repair) in decisions {
            lines += ["#", "# \(reason)", "#     \(repair)"] + repair.commands.map { "#     \($0)" }
        }
        if repairs.contains(where: \.repair.needsLogin) {
            lines += ["", #"echo "Log in again: groups count from then on.""#]
        }
        if !repairs.isEmpty { lines += ["", #"[ -z "$failed" ] || exit 1"#] }
        return lines
    }

    /// Whether both are the same commands, as one overlay for two parts.
    private static func isSame(_ one: Repair, _ other: Repair) -> Bool {
        !one.commands.isEmpty && one.commands == other.commands
    }
}
