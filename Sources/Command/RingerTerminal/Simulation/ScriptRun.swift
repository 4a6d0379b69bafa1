import RingerCore
import RingerTestKit
import SystemPackage

/// Runs a script on the simulated board, in virtual time: an hour takes milliseconds, and every run gives the same figures.
package struct ScriptRun {
    /// The result of a test.
    package struct Result {
        package var name: String
        /// How long it lasted, in the device's time.
        package var length: Duration
        /// The line that failed, its text, and the actual state; nil if the test passed.
        package var failure: (line: Int, text: String, reason: String)?
        /// What happened, a line each.
        package var log: [String]
    }

    /// How long sounds and vibrations may continue at the end of a test.
    private static let rest = Duration.seconds(60)

    private let script: Script
    private let position: SwitchPosition
    private let configuration: Device.Configuration
    private let clock = VirtualClock()

    /// Runs every test, each on a board of its own; the clock continues from one to the next.
    ///
    /// - Parameters:
    ///   - atTest: Called with the title and the time of each test of several when it begins.
    ///   - atEnd: Called with the clock's time at the end.
    /// - Throws: ``RingerError`` if the log cannot be written.
    package static func run(
        _ script: Script, position: SwitchPosition = .ring, configuration: Device.Configuration = .init(),
        json: Bool = false, atTest: (String, MonotonicTime) -> Void = { _, _ in },
        atEnd: (MonotonicTime) throws(RingerError) -> Void = { _ in }
    ) throws -> [Result] {
        let run = ScriptRun(script: script, position: position, configuration: configuration)
        let clock = run.clock
        let log = SimulationLog(json: json, start: clock.now) { line throws(RingerError) in try Terminal.show(line) }
        var results: [Result] = []
        for test in script.tests {
            if script.tests.count > 1 {
                log.note("test", test.name, at: clock.now)
                atTest(test.name, clock.now)
            }
            let result = try run.perform(test, log)
            if let failure = result.failure {
                Terminal.complain(
                    "ringer: \(script.name), line \(failure.line): \"\(failure.text)\" failed: \(failure.reason)")
            }
            results.append(result)
        }
        try atEnd(clock.now)
        if let failure = log.failure { throw failure }
        return results
    }

    private func perform(_ test: Script.Test, _ log: SimulationLog) throws -> Result {
        let start = clock.now
        let observations = Observations()
        clock.setWallTime(.seconds(1_767_225_600))
        let board = SimulatedBoard(clock: clock, position: position)
        var configuration = configuration
        configuration.observer = { [observer = configuration.observer] event in
            log.note(event)
            observations.note(event)
            observer?(event)
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
            if let reason = perform(line, simulation, log) {
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
    private func perform(_ line: Script.Line, _ simulation: Simulation, _ log: SimulationLog) -> String? {
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
