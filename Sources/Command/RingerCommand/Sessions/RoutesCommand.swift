import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer routes`: the routes of the board.
struct RoutesCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "routes",
        abstract: "Show the board's routes, their PCMs, and the current route.",
        discussion: """
            A speaker and a headphone jack on --pcm are always listed; --route-pcm adds the board's other routes.
            JSON, one object a line: {"route":...,"pcm":...,"present":...,"current":...,"silencedBySwitch":...}
            """)

    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let device = try await board.makeDevice(following: [.jackControls])
        defer { device.close() }
        let routes = device.sessions.routes
        let silenced = device.preferences.routesSilencedBySwitch
        for entry in routes.board.entries {
            let isPresent = routes.present.contains(entry.route)
            let isCurrent = device.state.route == entry.route
            let isSilenced = silenced.contains(entry.route)
            if output.json {
                try Terminal.show(
                    JSONValue.object([
                        ("route", .string(entry.route.rawValue)), ("pcm", .string(entry.pcm)),
                        ("present", .bool(isPresent)), ("current", .bool(isCurrent)),
                        ("silencedBySwitch", .bool(isSilenced)),
                    ]).description)
            } else {
                try Terminal.show(
                    (isCurrent ? "> " : "  ") + entry.route.rawValue.padded(to: 12)
                        + (isPresent ? "there" : "absent").padded(to: 8)
                        + (isSilenced ? "the switch silences it" : "the switch leaves it").padded(to: 24) + entry.pcm)
            }
        }
    }
}
