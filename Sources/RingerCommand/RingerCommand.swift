import ArgumentParser

/// `ringer`: the library's services on the command line.
@main
struct RingerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringer",
        abstract: "The ring/silent switch, the vibration motor and short sounds of an embedded Linux device.",
        discussion: "Exit status: 0 done, 1 failed with one line on standard error, 64 bad usage.",
        subcommands: [
            StatusCommand.self, WatchCommand.self, PlayCommand.self, VibrateCommand.self, DetectCommand.self,
            DecideCommand.self, PolicyCommand.self, InfoCommand.self, ConvertCommand.self,
            DoctorCommand.self,
            SimulateCommand.self,
        ])
}
