import ArgumentParser
import RingerCore
import RingerTerminal

/// `ringer policy`: the rules as a table.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Print the rules as a table.",
        discussion: """
            A row is a kind of sound; a column is a position of the switch, then a locked screen at ring, then silent with \
            headphones plugged in. A cell says "play", "silence" or "vibrate", and "+vibrate" if the motor turns as well.
            """)

    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup var output: OutputOptions

    private static let rows: [(name: String, request: SoundRequest)] =
        AudioCategory.allCases.map { ($0.rawValue, .session($0)) } + [
            ("playAndRecord, defaultToSpeaker", .session(.playAndRecord, options: .defaultToSpeaker)),
            ("playback, honoursRingSilentSwitch", .session(.playback, options: .honoursRingSilentSwitch)),
            ("soloAmbient, background", .session(.soloAmbient, isInBackground: true)),
            ("playback, background", .session(.playback, isInBackground: true)),
            ("system sound", .systemSound()), ("alert", .alert), ("notification", .notification()),
            ("critical notification", .notification(isCritical: true)), ("vibration", .vibration),
        ]

    private static let columns: [(name: String, state: DeviceState)] = [
        ("ring", DeviceState(ringSilent: .ring)),
        ("vibrate", DeviceState(ringSilent: .vibrate)),
        ("silent", DeviceState(ringSilent: .silent)),
        ("ring, locked", DeviceState(ringSilent: .ring, isScreenLocked: true)),
        ("silent, headphone", DeviceState(ringSilent: .silent, route: .headphone)),
    ]

    func run() throws {
        if output.json { return try showJSON() }
        var lines = ["".padded(to: 34) + Self.columns.map { $0.name.padded(to: 22) }.joined()]
        for row in Self.rows {
            let cells = Self.columns.map { column in
                let decision = RingerPolicy.decide(row.request, state: column.state, preferences: user.preferences)
                var cell = decision.word
                if case .play(_, let route, _, _) = decision, route != column.state.route {
                    cell += " (\(route.rawValue))"
                }
                if decision.isHeard && decision.vibrates { cell += " +vibrate" }
                return cell.padded(to: 22)
            }
            lines.append(row.name.padded(to: 34) + cells.joined())
        }
        for line in lines {
            try Terminal.show(String(line.reversed().drop { $0 == " " }.reversed()))
        }
    }

    private func showJSON() throws {
        for row in Self.rows {
            for column in Self.columns {
                let decision = RingerPolicy.decide(row.request, state: column.state, preferences: user.preferences)
                guard case .object(let members) = decision.json else { continue }
                let cell: [(String, JSONValue)] = [
                    ("sound", .string(row.name)), ("position", .optional(column.state.ringSilent?.rawValue)),
                    ("locked", .bool(column.state.isScreenLocked)),
                    ("deviceRoute", .string(column.state.route.rawValue)),
                ]
                try Terminal.show(JSONValue.object(cell + members).description)
            }
        }
    }
}
