import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer`: the library's services on the command line.
@main
struct RingerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringer",
        abstract: "The ring/silent switch, the vibration motor and short sounds of an embedded Linux device.",
        discussion: "Exit status: 0 done, 1 failed with one line on standard error, 64 bad usage.",
        version: "ringer \(RingerVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Device",
                subcommands: [
                    StatusCommand.self, WatchCommand.self, DoctorCommand.self, DetectCommand.self, SilentCommand.self,
                    QuietCommand.self,
                ]),
            CommandGroup(
                name: "Playing",
                subcommands: [
                    PlayCommand.self, AlertCommand.self, NotifyCommand.self, AnnounceCommand.self, SoundsCommand.self,
                    VibrateCommand.self,
                ]),
            CommandGroup(name: "Sessions", subcommands: [SessionCommand.self, RoutesCommand.self]),
            CommandGroup(name: "Rules", subcommands: [DecideCommand.self, PolicyCommand.self]),
            CommandGroup(name: "Files", subcommands: [InfoCommand.self, ConvertCommand.self, TraceCommand.self]),
            CommandGroup(name: "Simulation", subcommands: [SimulateCommand.self]),
        ])

    static func main() {
        do {
            try Terminal.run(run)
        } catch {
            let code = exitCode(for: error)
            // What --help prints; or a failure that was reported.
            if code.isSuccess || error is ExitCode { exit(withError: error) }
            // The usage has several lines, an error one, whatever is in a file's name.
            let text = fullMessage(for: error)
            for line in code == .validationFailure ? text.split(separator: "\n") : [text[...]] {
                Terminal.complain(String(line))
            }
            exit(withError: code)
        }
    }

    private static func run() async throws {
        var command = try parseAsRoot()
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            if !(error is ExitCode || error is ShownFailure) { try (command as? any JSONCommand)?.show(error) }
            throw error
        }
    }
}
