import ArgumentParser
import Ringer

/// `ringer alert`: a sound, a vibration or both, repeatedly.
struct AlertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alert",
        abstract: "Alert with a sound, a vibration or both, repeatedly, until its time is over.",
        discussion: """
            A flip of the switch in the middle turns a ringing alert into a vibrating one, and back.
            JSON: {"outcome":"timedOut|stopped|failed","by":...,"elapsed":seconds,
            "rounds":...,"sounded":...,"vibrated":true|false,
            "completion":seconds from the call,"fallback":reason or null}
            """)

    @Argument(help: NamedSound.help, completion: .file())
    var sound: NamedSound
    @Option(help: "Whether it is heard, felt or both, as far as the rules allow.")
    var way = AlertWay.both
    @Option(name: .customLong("for"), help: ArgumentHelp("How long it lasts at most.", valueName: "seconds"))
    var seconds = Alerts.standardLimit.inSeconds
    @OptionGroup(title: "What the user chose") var user: PreferenceOptions
    @OptionGroup(title: "Predefined sounds") var sounds: SoundOptions
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard seconds > 0 && seconds <= 86_400 else {
            throw ValidationError("--for takes seconds above 0 and up to 86400, not \(seconds).")
        }
    }

    func run() async throws {
        let recording = try trace.makeRecording()
        let device = try await board.makeDevice(configuration: sounds.configuration(user), recording: recording)
        defer { device.close() }
        let id: SystemSoundID =
            switch sound {
            case .id(let id): id
            case .file(let path): try device.sounds.register(path)
            }
        let result = await device.alerts.alert(id, way: way, limit: .seconds(seconds))
        try Terminal.show(output.json ? result.json.description : result.sentence)
        try recording?.finish(at: device.clock.now)
        if case .failed(let error) = result.outcome { throw error }
    }
}
