import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer play`: plays one sound if the policy allows it.
struct PlayCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play a sound, if the switch and the other rules allow it.",
        discussion: """
            A predefined sound is played as a system sound, a file in an audio session's category; --category plays \
            either in a category. Flipping the switch to silent stops a sound that honours the switch. A silenced sound is \
            not an error: the exit status is 0. Of a file that was cut off, what is there is played: a warning says so, and \
            "fallback" is incomplete.
            JSON: {"outcome":"finished|silenced|stopped|failed","by":...,
            "elapsed":seconds,"frames":...,"vibrated":true|false,
            "completion":seconds from the call,"fallback":reason or null}
            """)

    @Argument(help: NamedSound.help, completion: .file())
    var sound: NamedSound
    @Option(
        name: .shortAndLong,
        help:
            "The purpose of the sound, which decides whether the switch silences it; also Apple's names and codes. (default for a file: soloAmbient)"
    )
    var category: AudioCategory?
    @Option(name: .customLong("option"), help: "An option of the category; may be given several times.")
    var options: [CategoryOptionName] = []
    @OptionGroup var playing: PlayingOptions

    var output: OutputOptions { playing.output }
    static let members = NotifyCommand.members

    func run() async throws {
        // Refuse a file that is not a sound before opening any device.
        try sound.check()
        let samples: PCMBuffer? = if case .file(let path) = sound { try SoundLoader.load(path) } else { nil }
        let (device, recording) = try await playing.makeDevice()
        defer { device.close() }
        switch (sound, category) {
        case (.id(let id), nil):
            try await show(device.sounds.play(id))
        case (.id(let id), let category?):
            guard let samples = try device.sounds.samples(of: id) else {
                throw RingerError(
                    .unsupported, "play it in a category", "system sound \(id)", detail: "it has no sound")
            }
            try await show(device.play(samples, category: category, options: options.together))
        case (.file, let category):
            guard let samples else { return }
            try await show(
                device.play(samples, category: category ?? .default, options: options.together))
        }
        try recording?.finish(afterResultAt: device.clock.now)
    }

    private func show(_ result: SoundResult) throws {
        result.fallback?.warn()
        try Terminal.show(output.json ? result.json.description : result.sentence)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
    }

    private func show(_ result: SystemSoundResult) throws {
        result.fallback?.warn()
        try Terminal.show(output.json ? result.json.description : result.sentence)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
    }
}
