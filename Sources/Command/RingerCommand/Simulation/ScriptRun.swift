import Ringer
import RingerTestKit
import SystemPackage

/// Runs a script on the simulated board, in virtual time: an hour takes milliseconds, and every run gives the same figures.
struct ScriptRun {
    /// The result of a test.
    struct Result {
        var name: String
        /// How long it lasted, in the device's time.
        var length: Duration
        /// The line that failed, its text, and the actual state; nil if the test passed.
        var failure: (line: Int, text: String, reason: String)?
        /// What happened, a line each.
        var log: [String]
    }

    /// How long sounds and vibrations may continue at the end of a test.
    private static let rest = Duration.seconds(60)

    let script: Script
    let position: SwitchPosition
    var configuration = Device.Configuration()
    var json = false
    var recording: TraceRecording?

    /// Runs every test, each on a board of its own; the clock continues from one to the next.
    ///
    /// - Throws: ``RingerError`` if the log cannot be written.
    func run() throws -> [Result] {
        let clock = VirtualClock()
        let log = SimulationLog(json: json, start: clock.now) { line throws(RingerError) in try Terminal.show(line) }
        var results: [Result] = []
        for test in script.tests {
            if script.tests.count > 1 { log.note("test", test.name, at: clock.now) }
            let result = try run(test, on: clock, log)
            if let failure = result.failure {
                Terminal.complain(
                    "ringer: \(script.name), line \(failure.line): \"\(failure.text)\" failed: \(failure.reason)")
            }
            results.append(result)
        }
        try recording?.finish(at: clock.now)
        if let failure = log.failure { throw failure }
        return results
    }

    private func run(_ test: Script.Test, on clock: VirtualClock, _ log: SimulationLog) throws -> Result {
        let start = clock.now
        let observations = Observations()
        let board = SimulatedBoard(clock: clock, position: position)
        var configuration = configuration
        configuration.observer = { event in
            log.note(event)
            observations.note(event)
            recording?.recorder.record(event)
        }
        log.beginTest()
        if case .readable(false)? = test.lines.first?.step { board.ringSilent.becomeUnreadable() }
        let device = try Device.simulated(board, configuration: configuration)
        defer {
            device.close()
            observations.forget()
        }
        let simulation = Simulation(
            board: board, device: device, observations: observations, log: log, folder: script.folder)
        var result = Result(name: test.name, length: .zero, failure: nil, log: [])
        for line in test.lines {
            if let reason = perform(line, simulation, clock, log) {
                result.failure = (line.number, line.text, reason)
                break
            }
        }
        let end = clock.now + Self.rest
        while clock.advanceToNextTimer(by: end) {}
        clock.advance()
        result.length = clock.now - start
        result.log = log.linesOfTest
        return result
    }

    /// Performs a line, and everything that is due at the same instant.
    ///
    /// - Returns: Why the line failed; nil if it did not.
    private func perform(
        _ line: Script.Line, _ simulation: Simulation, _ clock: VirtualClock, _ log: SimulationLog
    ) -> String? {
        switch line.step {
        case .wait(let duration):
            clock.advance(by: duration)
            return nil
        case .expect(let expectation):
            let reason = simulation.check(expectation, on: clock)
            log.note(expectation, line: line.number, isMet: reason == nil, at: clock.now)
            return reason
        default:
            do {
                try simulation.perform(line.step)
            } catch {
                return "\(error)"
            }
            clock.advance()
            return nil
        }
    }
}
