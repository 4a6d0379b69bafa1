import ArgumentParser
import Ringer

/// `ringer play`: one sound, as the policy allows.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play a sound in a category, as the switch and the other rules allow.",
        discussion: """
            A flip of the switch in the middle stops a sound that honours it. A sound that is silenced is no failure.
            JSON: {"outcome":"finished|silenced|stopped|failed","by":...,"elapsed":seconds}
            """)

    @Argument(help: "The sound file.", completion: .file())
    var file: String
    @Option(name: .shortAndLong, help: "What the sound is for, and so whether the switch silences it.")
    var category = AudioCategory.default
    @Option(name: .customLong("option"), help: "An option of the category; may be given several times.")
    var options: [CategoryOptionName] = []
    @OptionGroup var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let sound = try SoundLoader.load(file)
        let device = try await board.makeDevice()
        defer { device.close() }
        let result = await device.player.play(sound, as: .session(category, options: options.together))
        try Terminal.show(output.json ? result.json.description : result.sentence)
        if case .failed(let error) = result.outcome { throw error }
    }
}

extension SoundResult {
    /// The result as JSON has it.
    var json: JSONValue { .object(members) }

    /// The result's members as JSON has them.
    var members: [(String, JSONValue)] {
        let by: JSONValue =
            switch outcome {
            case .finished: .null
            case .silenced(let reason): .string(reason.rawValue)
            case .stopped(let cause): .string(cause.rawValue)
            case .failed(let error): .string(error.description)
            }
        return [
            ("outcome", .string(outcome.word)), ("by", by), ("elapsed", .number(elapsed.inSeconds)),
            ("frames", .integer(position.played)),
        ]
    }

    /// The result in words.
    var sentence: String {
        let time = "after \(elapsed.inSeconds.fixed(3)) s"
        return switch outcome {
        case .finished: "finished \(time)"
        case .silenced(let reason): "silenced by \(reason.rawValue) \(time)"
        case .stopped(let cause): "stopped (\(cause.rawValue)) \(time)"
        case .failed: "failed \(time)"
        }
    }
}

extension SoundOutcome {
    /// "finished", "silenced", "stopped" or "failed".
    var word: String {
        switch self {
        case .finished: "finished"
        case .silenced: "silenced"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }
}
