import ArgumentParser
import Ringer

/// `ringer`: the library's services on the command line.
@main
struct RingerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringer",
        abstract: "The ring/silent switch, the vibration motor and short sounds of an embedded Linux device.",
        discussion: "Exit status: 0 done, 1 failed with one line on standard error, 64 bad usage.",
        subcommands: [
            StatusCommand.self, WatchCommand.self, PlayCommand.self, AlertCommand.self, NotifyCommand.self,
            SoundsCommand.self,
            VibrateCommand.self, DetectCommand.self, SessionCommand.self, RoutesCommand.self,
            DecideCommand.self, PolicyCommand.self, InfoCommand.self, ConvertCommand.self,
            DoctorCommand.self,
            SimulateCommand.self,
        ])

    static func main() {
        do {
            // A thread of its own, not Swift's pool, which on Linux looks at its threads once a second; and not the
            // device's, which must not wait where nobody reads what a command writes.
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

    /// Lets a signal that is ending the process end it: whoever sent it reads from the status that it did.
    private static func waitForTermination() async {
        guard TerminationSignals.isTerminating else { return }
        // The signal is raised as soon as the device is closed, unless that hangs.
        try? await Task.sleep(for: .seconds(5))
    }
}
