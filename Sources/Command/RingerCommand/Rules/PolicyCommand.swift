import ArgumentParser
import RingerCore
import RingerTerminal

/// `ringer policy`: the rules as a table.
struct PolicyCommand: ParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Print the rules as a table.",
        discussion: """
            A row is a kind of sound. A column is what the device is in: a position, which is the most silent one of the switch, \
            of what software has set, and of the quiet hours; a switch that cannot be read; no switch; the screen locked; headphones plugged in; a session that records, and a call, whose \
            session plays and records and has a call's priority. A cell says "play", "silence", "vibrate", or "both" if the motor turns to the sound; where a \
            sound is played on another route than the device's, it names that route.
            JSON, one object a cell: {"sound":...,"position":"ring|vibrate|silent" or null,"unreadable":true|false,
            "locked":true|false,"deviceRoute":...,"recording":true|false,"silencing":true|false,"call":true|false} and what decide prints
            """)

    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup var output: OutputOptions

    private static let rows: [(name: String, request: SoundRequest)] =
        AudioCategory.allCases.map { ($0.rawValue, .session($0)) } + [
            ("playAndRecord, defaultToSpeaker", .session(.playAndRecord, options: .defaultToSpeaker)),
            ("playback, honoursRingSilentSwitch", .session(.playback, options: .honoursRingSilentSwitch)),
            ("soloAmbient, background", .session(.soloAmbient, isInBackground: true)),
            ("playback, background", .session(.playback, isInBackground: true)),
            ("any session, interrupted", .session(.playback, isInterrupted: true)),
            ("system sound", .systemSound()), ("system sound, not of the UI", .systemSound(isUISound: false)),
            ("alert", .alert), ("alarm", .alarm), ("notification", .notification()),
            ("critical notification", .notification(isCritical: true)), ("vibration", .vibration),
        ]

    private static let columns: [(name: String, state: DeviceState)] = [
        ("ring", DeviceState(ringSilent: .ring)),
        ("vibrate", DeviceState(ringSilent: .vibrate)),
        ("silent", DeviceState(ringSilent: .silent)),
        ("unreadable", DeviceState(isSwitchUnreadable: true)),
        ("no switch", DeviceState()),
        ("ring, locked", DeviceState(ringSilent: .ring, isScreenLocked: true)),
        ("silent, locked", DeviceState(ringSilent: .silent, isScreenLocked: true)),
        ("silent, headphone", DeviceState(ringSilent: .silent, route: .headphone)),
        ("ring, recording", DeviceState(ringSilent: .ring, sessions: [.records, .silencesPlayback])),
        ("ring, in a call", DeviceState(ringSilent: .ring, sessions: [.records, .call, .callByPriority])),
    ]

    func run() throws {
        if output.json { return try showJSON() }
        // In two parts, 80 wide.
        for part in [Self.columns.prefix(5), Self.columns.dropFirst(5)] {
            if part.startIndex > 0 { try Terminal.show("") }
            let table = table(part)
            let widths = (0...part.count).map { column in
                table.compactMap { $0.dropFirst(column).first?.count }.max() ?? 0
            }
            for row in table {
                let line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
                try Terminal.show(String(line.reversed().drop { $0 == " " }.reversed()))
            }
        }
    }

    /// The lines of these columns: two for their names, and two for a row with a long name.
    private func table(_ columns: ArraySlice<(name: String, state: DeviceState)>) -> [[String]] {
        let names = columns.map { $0.name.split(separator: " ", maxSplits: 1).map(String.init) }
        var lines = [[""] + names.map { $0.count > 1 ? $0[0] : "" }, [""] + names.map { $0.last ?? "" }]
        for row in Self.rows {
            var name = row.name[...]
            if name.count > 27, let blank = name.firstIndex(of: " ") {
                lines.append([String(name[..<blank])])
                name = " " + name[blank...]
            }
            lines.append([String(name)] + columns.map { cell(row.request, $0.state) })
        }
        return lines
    }

    private func cell(_ request: SoundRequest, _ state: DeviceState) -> String {
        let decision = RingerPolicy.decide(request, state: state, preferences: user.preferences)
        if decision.isHeard && decision.vibrates { return "both" }
        if case .play(_, let route, _, _) = decision, route != state.route { return route.rawValue }
        return decision.word
    }

    private func showJSON() throws {
        for row in Self.rows {
            for column in Self.columns {
                let decision = RingerPolicy.decide(row.request, state: column.state, preferences: user.preferences)
                guard case .object(let members) = decision.json else { continue }
                let cell: [(String, JSONValue)] = [
                    ("sound", .string(row.name)), ("position", .optional(column.state.ringSilent?.rawValue)),
                    ("unreadable", .bool(column.state.isSwitchUnreadable)),
                    ("locked", .bool(column.state.isScreenLocked)),
                    ("deviceRoute", .string(column.state.route.rawValue)),
                    ("recording", .bool(column.state.sessions.contains(.records))),
                    ("silencing", .bool(column.state.sessions.contains(.silencesPlayback))),
                    ("call", .bool(column.state.sessions.contains(.call))),
                ]
                try Terminal.show(JSONValue.object(cell + members).description)
            }
        }
    }
}
