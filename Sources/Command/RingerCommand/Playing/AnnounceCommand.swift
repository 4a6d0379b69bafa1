import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer announce`: an announcement of one clip or several.
struct AnnounceCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "announce",
        abstract: "Announce clips, joined without a gap, if the switch and the other rules allow it.",
        discussion: """
            It waits while a session of a higher priority, such as a call, is active. --volume is a factor of this announcement \
            alone: the volume of other sounds stays as it is, and there is nothing to restore, whatever ends the command.
            JSON: {"outcome":"finished|silenced|stopped|failed","by":...,
            "elapsed":seconds,"frames":...,"vibrated":true|false,
            "completion":seconds from the call,"fallback":reason or null}
            """)

    @Argument(help: NamedSound.help, completion: .file())
    var clips: [NamedSound]
    @Option(
        name: .shortAndLong, help: "The category, which decides whether the switch silences it. (default: playback)")
    var category: AudioCategory?
    @Option(name: .customLong("option"), help: "An option of the category; may be given several times.")
    var options: [CategoryOptionName] = []
    @Option(help: "The volume, 0 to 1, in the place of the preference announcement-volume.")
    var volume: Float?
    @OptionGroup var playing: PlayingOptions

    var output: OutputOptions { playing.output }
    static let members = NotifyCommand.members

    func validate() throws {
        if let volume, !(0...1).contains(volume) { throw ValidationError("--volume takes 0 to 1, not \(volume).") }
    }

    func run() async throws {
        for clip in clips { try clip.check() }
        let (device, recording) = try await playing.makeDevice()
        defer { device.close() }
        let samples = try clips.map { clip -> PCMBuffer in
            switch clip {
            case .file(let path): return try SoundLoader.load(path)
            case .id(let id):
                guard let samples = try device.sounds.samples(of: id) else {
                    throw RingerError(.unsupported, "announce", "system sound \(id)", detail: "it has no sound")
                }
                return samples
            }
        }
        let result = try await device.announcements.announce(
            Announcement(
                joining: samples, category: category ?? .playback, options: options.together, volume: volume))
        result.fallback?.warn()
        try Terminal.show(output.json ? result.json.description : result.sentence)
        try recording?.finish(afterResultAt: device.clock.now)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
    }
}
