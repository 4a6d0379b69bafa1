import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer status`: the current state of the device.
struct StatusCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the current state of the device: switch, motor, speaker, and what would be heard.",
        discussion: """
            "board" is the service, the machine's own hardware or a simulated board.
            "effectivePosition" is the most silent one of the switch, the kept position and the quiet hours, "silencedBy" what is at \
            it, and "silencedUntil" when that ends by itself. "quietHoursVolume" is what the quiet hours give announcements and media, \
            until "quietHoursVolumeUntil".
            "systemSound" and "alert" say how these would be judged now, "alertReason" why.
            "switch" is readable, unreadable (there is one, and it counts as the position of --when-switch-unreadable), unplugged \
            (its last position counts) or none (counts as ring until software sets a position); "switchProblem" gives the reason and the repair.
            """)

    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let device = try await board.makeDevice(
            following: [.volume, .input, .jackControls], configuration: .init(preferences: user.preferences))
        defer { device.close() }
        let (state, alert) = (device.state, device.decide(.alert))
        var members: [(String, JSONValue)] = [
            ("board", .string(device.isConnected ? "service" : board.board == .simulated ? "simulated" : "hardware")),
            ("ringSilent", .optional(state.ringSilent?.rawValue)), ("switch", .string(state.switchWord)),
            ("switchProblem", .optional(device.switchProblem?.description)),
            ("source", .optional(state.ringSilentSource)),
            ("at", state.ringSilentAt.map { .number($0.seconds) } ?? .null),
            ("keptPosition", .optional(state.keptPosition?.rawValue)),
            ("keptPositionUntil", state.keptPositionUntil.map { .integer(Int64($0)) } ?? .null),
        ]
        let effective = state.effectivePosition(device.preferences)
        members += effective.members
        members += [
            ("quietHoursVolume", .volume(state.quietHoursVolume)),
            ("quietHoursVolumeUntil", state.quietHoursVolumeUntil.map { .integer(Int64($0)) } ?? .null),
            ("motor", .optional(device.vibrator?.name)), ("light", .optional(device.statusLight?.name)),
            ("speaker", .string(device.speakerName)),
            ("route", .string(state.route.rawValue)), ("locked", .bool(state.isScreenLocked)),
            ("headphone", .bool(state.isHeadphoneInserted)), ("microphone", .bool(state.isMicrophoneInserted)),
            ("outputVolume", .volume(state.outputVolume)),
            ("inputAvailable", state.isInputAvailable.map(JSONValue.bool) ?? .null),
            ("doNotDisturb", .bool(device.preferences.doNotDisturb)),
            ("systemSound", .string(device.decide(.systemSound()).word)),
            ("alert", .string(alert.word)), ("alertReason", .string(alert.reason.rawValue)),
        ]
        if output.json { return try Terminal.show(JSONValue.object(members).description) }
        for (name, value) in members {
            let text =
                switch value {
                case .null: isUnknown(name, state) ? "unknown" : "none"
                case .integer(let seconds) where name.hasSuffix("Until"): localTime(seconds)
                case .array:
                    effective.sources.isEmpty ? "nothing" : effective.sources.map(\.rawValue).joined(separator: ", ")
                case .string(let text): text
                case .bool(let isTrue): isTrue ? "yes" : "no"
                default: value.description
                }
            try Terminal.show(name.padded(to: max(16, name.count + 1)) + text)
        }
    }

    /// Whether a missing value is unknown.
    private func isUnknown(_ name: String, _ state: DeviceState) -> Bool {
        switch name {
        case "outputVolume", "inputAvailable": true
        case "ringSilent", "at": state.isSwitchUnreadable
        default: false
        }
    }
}

extension DeviceState {
    /// Whether there is a switch, and whether it can be read.
    fileprivate var switchWord: String {
        if isSwitchUnreadable { return "unreadable" }
        if ringSilent == nil { return "none" }
        return isSwitchConnected ? "readable" : "unplugged"
    }
}
