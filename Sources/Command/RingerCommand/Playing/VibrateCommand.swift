import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer vibrate`: a pattern on the motor.
struct VibrateCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "vibrate",
        abstract: "Turn the vibration motor in a pattern.",
        discussion: """
            No setting suppresses a vibration. The motor never turns for longer than 10 s without a rest.
            JSON: {"outcome":"finished|stopped|limited|failed","by":error or null,"elapsed":seconds}
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

    static let members = ["elapsed"]

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
        let failure: ShownFailure? = if case .failed(let error) = end { .init(description: "\(error)") } else { nil }
        let word = failure == nil ? end.vibrationWords : "failed"
        let members: [(String, JSONValue)] = [
            ("outcome", .string(word)), ("by", .optional(failure?.description)),
            ("elapsed", .number(elapsed.inSeconds)),
        ]
        let sentence = "\(word) after \(elapsed.inSeconds.fixed(3)) s"
        try Terminal.show(output.json ? JSONValue.object(members).description : sentence)
        if let failure { throw failure }
    }
}
