import ArgumentParser
import Ringer
import RingerTestKit
import SystemPackage

/// `ringer simulate`: a board in the terminal.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Try the device on a simulated board: flip its switch, play, vibrate, and see what happens.",
        discussion: """
            On a terminal, keys work the board, and time is real. With --script, and where there is no terminal, a script \
            works it in virtual time: the figures are the same in every run. "-" reads the script from standard input.
            A script has one step a line, "#" begins a comment:

            \(SimulationStep.grammar)
            """)

    @Option(help: "Work the board by this script instead of by keys.", completion: .file())
    var script: String?
    @Option(help: "Where the switch stands at first.")
    var position = SwitchPosition.ring
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let recording = try trace.makeRecording()
        if let script {
            let steps = try SimulationScript.read(script)
            try await ScriptedSimulation(position: position, json: output.json, recording: recording).run(steps)
        } else if Terminal.isInteractive {
            try await InteractiveSimulation(position: position, json: output.json, recording: recording).run()
        } else {
            let steps = try SimulationScript.parse(SimulationScript.tour, name: "tour")
            try await ScriptedSimulation(position: position, json: output.json, recording: recording).run(steps)
        }
    }
}

/// Scripts for the simulated board.
enum SimulationScript {
    /// What runs where there is neither script nor terminal: a flip, a sound cut short, one that plays on, a vibration
    /// and a timed detection.
    static let tour = """
        play soloAmbient 2      # honours the switch
        play playback 2         # an announcement: it does not
        wait 0.5
        silent                  # the first is cut short, the second plays on
        wait 2
        vibrate 200,100,200     # no setting holds a vibration back
        wait 1
        detect                  # the switch silences the clip: muted at once
        wait 0.5
        ring
        detect                  # it still plays at 0.1 s: audible
        """

    /// The steps of the script in the file at `path`; "-" is standard input.
    static func read(_ path: String) throws -> [SimulationStep] {
        try parse(try TextFile.read(path), name: path)
    }

    /// The steps that `text` says; a mistake is named with its line.
    static func parse(_ text: String, name: String) throws -> [SimulationStep] {
        var steps: [SimulationStep] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            do {
                if let step = try SimulationStep(line: line) { steps.append(step) }
            } catch {
                throw ValidationError("\(name), line \(index + 1): \(error)")
            }
        }
        return steps
    }
}

/// A script on the board, in virtual time.
struct ScriptedSimulation {
    let position: SwitchPosition
    let json: Bool
    var recording: TraceRecording?

    func run(_ steps: [SimulationStep]) async throws {
        let log = SimulationLog(json: json) { line throws(RingerError) in try Terminal.show(line) }
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock, position: position)
        let device = try Device.simulated(
            board,
            configuration: .init(
                observer: { event in
                    log.note(event)
                    recording?.recorder.record(event)
                }))
        let simulation = Simulation(board: board, device: device, report: { log.note($0) })
        for step in steps {
            simulation.perform(step)
            if case .wait(let duration) = step { clock.advance(by: duration) }
        }
        // Whatever still plays or turns ends: a sound lasts 30 s at most, a vibration what its pattern says.
        while clock.pendingTimers > 0 { clock.advance(by: .seconds(1)) }
        device.close()
        try recording?.finish(at: clock.now)
        if let failure = log.failure { throw failure }
    }
}
