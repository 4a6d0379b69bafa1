import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer alert`: a sound, a vibration or both, repeatedly.
struct AlertCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert",
        abstract: "Alert with a sound, a vibration or both, repeatedly, until its time is over.",
        discussion: """
            A round is over when its sound and its vibration are. A ringer that vibrates 1 s in every 4, until Ctrl-C:
            ringer alert 1104 --pattern 1000 --pause 3 --until-stopped
            A flip of the switch in the middle turns a ringing alert into a vibrating one, and back.
            JSON: {"outcome":"timedOut|stopped|failed","by":...,"elapsed":seconds,
            "rounds":...,"sounded":...,"vibrated":true|false,
            "completion":seconds from the call,"fallback":reason or null,
            "soundError":why the sound was not heard, or null}
            """)

    @Argument(help: NamedSound.help, completion: .file())
    var sound: NamedSound
    @Option(help: "Whether it honours the switch: an alert does, an alarm does not, unless the user says so.")
    var kind = AlertKind.alert
    @Option(help: "Whether the alert is heard, felt or both, as far as the rules allow.")
    var way = AlertWay.both
    @Option(
        help: ArgumentHelp(
            "The vibration of each round: milliseconds on, off, on and so on. (default: the sound's)",
            valueName: "on,off,on..."),
        transform: { try VibrationPattern(milliseconds: $0) })
    var pattern: VibrationPattern?
    @Option(help: ArgumentHelp("The pause between two rounds.", valueName: "seconds"))
    var pause = 0.0
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the alert lasts at most. (default: 20)", valueName: "seconds"))
    var seconds: Double?
    @Flag(help: "No time limit: the alert lasts until the command is interrupted.")
    var untilStopped = false
    @OptionGroup var playing: PlayingOptions

    var output: OutputOptions { playing.output }
    static let members = ["elapsed", "rounds", "sounded", "vibrated", "completion", "fallback", "soundError"]

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 86_400) {
            throw ValidationError("--for takes seconds above 0 and up to 86400, not \(seconds).")
        }
        if seconds != nil && untilStopped { throw ValidationError("--for and --until-stopped exclude each other.") }
        guard pause >= 0 && pause <= 86_400 else {
            throw ValidationError("--pause takes seconds from 0 to 86400, not \(pause).")
        }
    }

    /// How long the alert lasts at most; nil for no limit.
    private var limit: Duration? {
        untilStopped ? nil : seconds.map { .seconds($0) } ?? Alerts.standardLimit
    }

    func run() async throws {
        try sound.check()
        let (device, recording) = try await playing.makeDevice()
        defer { device.close() }
        let id: SystemSoundID =
            switch sound {
            case .id(let id): id
            case .file(let path): try device.sounds.register(path)
            }
        let result = await device.alerts.alert(
            id, kind: kind, way: way, limit: limit, vibration: pattern, pause: .seconds(pause))
        result.fallback?.warn()
        try Terminal.show(output.json ? result.json.description : result.sentence)
        try recording?.finish(afterResultAt: device.clock.now)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
    }
}
