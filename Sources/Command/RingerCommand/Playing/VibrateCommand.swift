import ArgumentParser
import Ringer
import RingerTerminal

/// `ringer vibrate`: a pattern on the motor.
struct VibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vibrate",
        abstract: "Turn the vibration motor in a pattern.",
        discussion: """
            No setting suppresses a vibration. The motor never turns for longer than 10 s without a rest.
            JSON: {"outcome":"finished|stopped|limited|failed","elapsed":seconds}
            """)

    @Option(
        help: ArgumentHelp(
            "Milliseconds on, off, on and so on: 400,200,400. (default: 400)", valueName: "on,off,on..."),
        transform: { try VibrationPattern(milliseconds: $0) })
    var pattern: VibrationPattern?
    @Option(help: "The strength, above 0 and up to 1. A motor without speed control turns at full strength.")
    var strength: Float = 1
    @Option(name: .customLong("repeat"), help: ArgumentHelp("How often the pattern is repeated.", valueName: "times"))
    var times = 1
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    private func wholePattern() throws -> VibrationPattern {
        try VibrationPattern(
            pulses: (pattern ?? .standard).pulses, strength: strength, repetition: .times(times))
    }

    func validate() throws {
        do {
            _ = try wholePattern()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let pattern = try wholePattern()
        let device = try await board.makeDevice()
        defer { device.close() }
        let start = device.clock.now
        let end = await device.vibrate(pattern)
        let elapsed = device.clock.now - start
        if output.json {
            try Terminal.show(
                JSONValue.object([("outcome", .string(end.word)), ("elapsed", .number(elapsed.inSeconds))]).description)
        } else {
            try Terminal.show("\(end.word) after \(elapsed.inSeconds.fixed(3)) s")
        }
        if case .failed(let error) = end { throw error }
    }
}

extension VibrationEnd {
    /// "finished", "stopped", "replaced", "limited" or "failed".
    var word: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .replaced: "replaced"
        case .limited: "limited"
        case .failed: "failed"
        }
    }
}
