import ArgumentParser
import Ringer

/// `ringer`: the library's services on the command line.
@main
struct RingerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringer",
        abstract: "The ring/silent switch, the vibration motor and short sounds of an embedded Linux device.",
        discussion: "Exit status: 0 done, 1 failed with one line on standard error, 64 bad usage.",
        groupedSubcommands: [
            CommandGroup(
                name: "Device",
                subcommands: [StatusCommand.self, WatchCommand.self, DoctorCommand.self, DetectCommand.self]),
            CommandGroup(
                name: "Playing",
                subcommands: [
                    PlayCommand.self, AlertCommand.self, NotifyCommand.self, SoundsCommand.self, VibrateCommand.self,
                ]),
            CommandGroup(name: "Sessions", subcommands: [SessionCommand.self, RoutesCommand.self]),
            CommandGroup(name: "Rules", subcommands: [DecideCommand.self, PolicyCommand.self]),
            CommandGroup(name: "Files", subcommands: [InfoCommand.self, ConvertCommand.self]),
            CommandGroup(name: "Simulation", subcommands: [SimulateCommand.self]),
        ])

    static func main() {
        do {
            // Run on a thread of its own: Swift's pool has threads that wake up every second on Linux, and the device's
            // thread must not wait for a reader of the command's output.
            let loop = try EventLoop(name: "ringer-command")
            try loop.run {
                do {
                    try await run()
                } catch {
                    await waitForTermination()
                    throw error
                }
                await waitForTermination()
            }
        } catch {
            exit(withError: error)
        }
    }

    private static func run() async throws {
        var command = try parseAsRoot()
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Ends the process by the signal that it received, so that the sender sees it in the exit status.
    private static func waitForTermination() async {
        guard TerminationSignals.isTerminating else { return }
        // The signal is raised once the device is closed, unless closing hangs.
        try? await Task.sleep(for: .seconds(5))
    }
}
