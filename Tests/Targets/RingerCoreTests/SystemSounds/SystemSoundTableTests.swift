import RingerTestKit
import Testing

@testable import RingerCore

/// What a call does at a position of the switch, to the microsecond.
struct Cell: Sendable, CustomTestStringConvertible {
    enum Call: String, Sendable { case play, alert, vibrate }

    var call: Call
    var position: SwitchPosition
    /// The 250 ms sound, in microseconds.
    var heard: Range<Int64>?
    /// The motor, in microseconds.
    var felt: Range<Int64>?
    var outcome: SoundOutcome
    /// The completion, in microseconds.
    var completed: Int

    var testDescription: String { "\(call.rawValue) at \(position.rawValue)" }

    static let table: [Cell] = [
        Cell(call: .play, position: .ring, heard: 0..<250_000, outcome: .finished, completed: 250_000),
        Cell(call: .play, position: .vibrate, outcome: .silenced(by: .ringSilentSwitch), completed: 0),
        Cell(call: .play, position: .silent, outcome: .silenced(by: .ringSilentSwitch), completed: 0),
        Cell(
            call: .alert, position: .ring, heard: 0..<250_000, felt: 0..<400_000, outcome: .finished, completed: 400_000
        ),
        Cell(
            call: .alert, position: .vibrate, felt: 0..<400_000, outcome: .silenced(by: .ringSilentSwitch),
            completed: 400_000),
        Cell(
            call: .alert, position: .silent, felt: 0..<400_000, outcome: .silenced(by: .ringSilentSwitch),
            completed: 400_000),
        Cell(call: .vibrate, position: .ring, felt: 0..<400_000, outcome: .finished, completed: 400_000),
        Cell(call: .vibrate, position: .vibrate, felt: 0..<400_000, outcome: .finished, completed: 400_000),
        Cell(call: .vibrate, position: .silent, felt: 0..<400_000, outcome: .finished, completed: 400_000),
    ]
}

@Suite("The table of play, alert and vibrate against the switch")
struct SystemSoundTableTests {
    @Test("each call is heard, felt and completed to the microsecond", arguments: Cell.table)
    func cell(_ cell: Cell) throws {
        let bench = try SoundsBench(position: cell.position)
        let sound = try bench.register(milliseconds: 250)
        switch cell.call {
        case .play: bench.play(sound)
        case .alert: bench.play(sound, as: .alert)
        case .vibrate: bench.play(.vibrate)
        }
        // What completes at once has done so before the call returned.
        #expect(bench.results.all.count == (cell.completed == 0 ? 1 : 0))
        bench.clock.advance(by: .seconds(5))
        #expect(bench.heard == (cell.heard.map { [$0] } ?? []))
        #expect(bench.turns == (cell.felt.map { [$0] } ?? []))
        #expect(bench.outcomes == [cell.outcome])
        let result = try #require(bench.results.all.first)
        #expect(bench.microseconds(result.endedAt) == cell.completed)
        #expect(result.vibrated == (cell.felt != nil))
        #expect(bench.sounds.underWay == 0 && bench.clock.pendingTimers == 0)
    }
}
