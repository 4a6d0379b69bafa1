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
                !broken.contains(where: { $0.repair == repair })
            else { continue }
            let detail = [finding.name, problem].compactMap(\.self).joined(separator: ": ")
            broken.append(("\(finding.part): \(detail)", repair))
        }
        let repairs = broken.filter { !$0.repair.isDecision }
        let decisions = broken.filter(\.repair.isDecision)
        var lines = [
            "#!/bin/sh",
            "# Repairs what \"ringer doctor\" found missing. Read it, then run it as root. It may be run again.",
            "set -e",
        ]
        if repairs.isEmpty {
            lines += ["", "# There is nothing to repair by a command."]
        } else {
            lines.append(#"[ "$(id -u)" -eq 0 ] || { echo "$0: this must be run as root" >&2; exit 1; }"#)
        }
        for (reason, repair) in repairs {
            lines += ["", "# \(reason)", "# Repair: \(repair)"] + repair.commands
        }
        if !decisions.isEmpty { lines += ["", "# The rest is for you to decide:"] }
        for (reason, repair) in decisions {
            lines += ["#", "# \(reason)", "#     \(repair)"] + repair.commands.map { "#     \($0)" }
        }
        return lines
    }
}
