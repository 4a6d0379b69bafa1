import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer simulate`: a board in the terminal.
struct SimulateCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Try the device on a simulated board: flip its switch, play, vibrate, and see what happens.",
        discussion: """
            On a terminal, keys work the board, and time is real. With --script, and where there is no terminal, a script \
            works it in virtual time: the figures are the same in every run. "-" reads the script from standard input.
            A script that expects something is a test: exit status 1 where anything is not as expected, with a line on \
            standard error that names the script's line. A script with a mistake does not run: exit status 64.
            A script has one step a line; a word that begins with # begins a comment; quotes hold a word with blanks:

            \(Script.grammar)

            JSON, one object a line: {"at":seconds,"what":...,"event":...}; for what is expected
            {"at":seconds,"what":"expect","line":...,"expect":...,"passed":true|false}
            """)

    @Option(help: "Run this script instead of reading keys; may be given several times.", completion: .file())
    var script: [String] = []
    @Option(
        help: ArgumentHelp("Write the results of the scripts' tests as a JUnit report.", valueName: "file"),
        completion: .file(extensions: ["xml"]))
    var junit: String?
    @Option(help: "The initial position of the switch.")
    var position = SwitchPosition.ring
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if junit != nil && script.isEmpty { throw ValidationError("--junit goes with --script.") }
        if trace.file != nil && script.count > 1 { throw ValidationError("--trace goes with one --script.") }
    }

    func run() async throws {
        let scripts: [Script]
        do {
            scripts = try script.map { try Script.read($0) }
        } catch let mistake as ScriptMistake {
            Terminal.complain("ringer: \(mistake.message)")
            throw ExitCode.validationFailure
        }
        let recording = try trace.makeRecording()
        var configuration = Device.Configuration(preferences: user.preferences)
        if let recording { configuration.observer = { recording.recorder.record($0) } }
        func finish(at time: MonotonicTime) throws(RingerError) { try recording?.finish(at: time) }
        if scripts.isEmpty && Terminal.isInteractive {
            return try await InteractiveSimulation.run(
                position: position, configuration: configuration, json: output.json,
                onTermination: { recording?.finishOnTermination() }, atEnd: finish)
        }
        var report = try junit.map { path throws(RingerError) in try JUnitReport(path) }
        var (tests, failures) = (0, 0)
        for script in scripts.isEmpty ? [try .tour] : scripts {
            let results = try ScriptRun.run(
                script, position: position, configuration: configuration, json: output.json,
                atTest: { recording?.recorder.mark($0, at: $1) }, atEnd: finish)
            report?.add(results, of: script)
            if script.hasExpectations { tests += results.count }
            failures += results.count { $0.failure != nil }
        }
        try report?.finish()
        if tests > 0 && !output.json { try Terminal.show("\(tests - failures) passed, \(failures) failed") }
        if failures > 0 { throw ExitCode.failure }
    }
}
