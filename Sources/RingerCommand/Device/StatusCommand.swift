import ArgumentParser
import Ringer

/// `ringer status`: the device as it is now.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the device as it is now: switch, motor, speaker, and what would be heard.")

    @OptionGroup var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let device = try await board.makeDevice(following: [.volume, .input, .jackControls])
        defer { device.close() }
        let state = device.state
        let members: [(String, JSONValue)] = [
            ("ringSilent", .optional(state.ringSilent?.rawValue)), ("source", .optional(state.ringSilentSource)),
            ("at", state.ringSilentAt.map { .number($0.seconds) } ?? .null),
            ("motor", .optional(device.vibrator?.name)), ("speaker", .string(device.speakerName)),
            ("route", .string(state.route.rawValue)), ("locked", .bool(state.isScreenLocked)),
            ("headphone", .bool(state.isHeadphoneInserted)), ("microphone", .bool(state.isMicrophoneInserted)),
            ("outputVolume", .volume(state.outputVolume)),
            ("inputAvailable", state.isInputAvailable.map(JSONValue.bool) ?? .null),
            ("systemSound", .string(device.decide(.systemSound()).word)),
            ("alert", .string(device.decide(.alert).word)),
        ]
        if output.json { return try Terminal.show(JSONValue.object(members).description) }
        for (name, value) in members {
            let text =
                switch value {
                case .null: name == "outputVolume" || name == "inputAvailable" ? "unknown" : "none"
                case .string(let text): text
                case .bool(let isTrue): isTrue ? "yes" : "no"
                default: value.description
                }
            try Terminal.show(name.padded(to: 16) + text)
        }
    }
}
