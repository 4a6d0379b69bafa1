import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer notify`: a notification's sound.
struct NotifyCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Play a notification's sound: the default, or an application's own.",
        discussion: """
            A name is looked up in the container's Library/Sounds, then in its bundle, nowhere else. If the file cannot be \
            played, or lasts 30 s or longer, the default sound is played instead, and "fallback" says why: missing, \
            undecodable, tooLong, permissionDenied, refusedName, criticalNotAllowed; incomplete where only a part of the \
            file is there, and played.
            JSON: {"outcome":"finished|silenced|stopped|failed","by":...,
            "elapsed":seconds,"frames":...,"vibrated":true|false,
            "completion":seconds from the call,"fallback":reason or null}
            """)

    @Argument(help: "The file's name in the application's container. (default: the default sound)")
    var name: String?
    @Flag(help: "A critical sound: it ignores the switch and do-not-disturb.")
    var critical = false
    @Flag(name: .customLong("forbid-critical"), help: "The application may not send critical sounds.")
    var forbidsCritical = false
    @Option(help: "The volume, 0 to 1.")
    var volume: Float = 1
    @Option(help: ArgumentHelp("The application's directory.", valueName: "dir"), completion: .directory)
    var container: String?
    @Option(
        help: ArgumentHelp(
            "The application's bundle. (default: the directory in the container that ends in .app, or the container)",
            valueName: "dir"),
        completion: .directory)
    var bundle: String?
    @OptionGroup var playing: PlayingOptions

    var output: OutputOptions { playing.output }
    static let members = ["elapsed", "frames", "vibrated", "completion", "fallback"]

    func validate() throws {
        guard volume >= 0 && volume <= 1 else {
            throw ValidationError("--volume takes 0 to 1, not \(volume).")
        }
        if name != nil && container == nil {
            throw ValidationError("A sound's name needs --container, the directory to look for it in.")
        }
    }

    func run() async throws {
        let (device, recording) = try await playing.makeDevice()
        defer { device.close() }
        let application = ApplicationContainer(
            container ?? "", bundle: bundle, allowsCriticalAlerts: !forbidsCritical)
        let result = await device.notifications.play(sound, in: application)
        result.fallback?.warn()
        try Terminal.show(output.json ? result.json.description : result.sentence)
        try recording?.finish(afterResultAt: device.clock.now)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
    }

    private var sound: NotificationSound {
        switch (name, critical) {
        case (let name?, false): .named(name, volume: volume)
        case (let name?, true): .criticalNamed(name, volume: volume)
        case (nil, false): .standard(volume: volume)
        case (nil, true): .standardCritical(volume: volume)
        }
    }
}
