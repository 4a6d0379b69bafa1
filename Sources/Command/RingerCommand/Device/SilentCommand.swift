import ArgumentParser
import RingerLinux
import RingerClient
import RingerTerminal

/// `ringer silent`: sets the position that the service keeps beside the switch's.
struct SilentCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "silent",
        abstract: "Set the device to silent, to vibrate or back to ring, beside its switch.",
        discussion: """
            The service keeps the position over a restart. It can only add silence to a switch; on a device without one it is the \
            switch's. Without a word the kept position is shown. It needs the permission to control the service.
            JSON: {"keptPosition":"ring|vibrate|silent" or null,"ringSilent":"ring|vibrate|silent" or null}
            """)

    /// What may be set.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
        case vibrate
        case toggle

        /// The position; nil for one that depends on the position now.
        var position: SwitchPosition? {
            switch self {
            case .on: .silent
            case .off: .ring
            case .vibrate: .vibrate
            case .toggle: nil
            }
        }
    }

    @Argument(help: ArgumentHelp("on, off, vibrate, or toggle between on and off.", valueName: "on|off|vibrate|toggle"))
    var word: Word?
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let device = try await board.makeDevice()
        defer { device.close() }
        guard device.isConnected else {
            throw RingerError(
                .unsupported, "keep the position", "device",
                detail: "only the service keeps one after this command has ended: start ringerd")
        }
        switch word {
        case nil: break
        case .toggle: try await device.togglePosition()
        case .some(let word): if let position = word.position { try await device.setPosition(position) }
        }
        let (kept, position) = (device.state.keptPosition, device.state.ringSilent)
        if output.json {
            let members: [(String, JSONValue)] = [
                ("keptPosition", .optional(kept?.rawValue)), ("ringSilent", .optional(position?.rawValue)),
            ]
            return try Terminal.show(JSONValue.object(members).description)
        }
        try Terminal.show(kept?.rawValue ?? "none")
    }
}
