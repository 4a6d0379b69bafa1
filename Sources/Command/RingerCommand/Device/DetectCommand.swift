import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer detect`: finds out whether sounds are heard, by timing a silent clip.
struct DetectCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Find out whether sounds are heard, by timing a silent clip.",
        discussion: """
            Plays a silent system sound of 0.2 s. If it is over before 0.1 s, sounds are muted; if it still plays then, they \
            are audible; if the output fails, nothing is known. A volume of 0 counts as muted.
            "way" is what knew whether sounds may be heard: the device, with a switch that this process reads; the service; a PCM \
            that obeys and reaches the service (--pcm "ringer:CATEGORY=ambient,WHEN_SILENCED=skip"); or none, and then a clip that took its time says nothing.
            JSON: {"verdict":"muted|audible|unknown","way":"device|service|pcm|none","elapsed":seconds,
            "threshold":0.1,"cause":...}
            """)

    @Option(help: ArgumentHelp("Measure repeatedly, so many seconds apart, until interrupted.", valueName: "seconds"))
    var every: Double?
    @Flag(help: "With --every: show a reading only if its verdict differs from the one before.")
    var changes = false
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let every, !(every > 0 && every <= 86_400) {
            throw ValidationError("--every takes seconds above 0 and up to 86400, not \(every).")
        }
        if changes && every == nil { throw ValidationError("--changes can only be used with --every.") }
    }

    func run() async throws {
        let device = try await board.makeDevice(
            following: [.volume], configuration: .init(preferences: user.preferences))
        defer { device.close() }
        guard let every else { return try show(await device.muteDetector.measure()) }
        for await reading in device.muteDetector.readings(every: .seconds(every), changesOnly: changes) {
            try show(reading)
        }
    }

    private func show(_ reading: MuteReading) throws {
        try Terminal.show(output.json ? reading.json.description : reading.sentence)
    }
}
