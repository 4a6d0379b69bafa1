import Logging
import Ringer
import RingerTestKit
import Synchronization
import Testing

// An observer that moves the clock simulates one that blocks for that long: the device continues meanwhile.
@Suite("Observers and log handlers that block")
struct ObserverTests {
    @Test("an observer that blocks does not keep a sound heard past a flip to silent")
    func observer() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let device = try Device.simulated(
            board,
            configuration: .init(observer: { event in
                guard case .playback(.started, _) = event else { return }
                clock.advance(by: .seconds(1))
                board.ringSilent.position = .silent
                clock.advance(by: .seconds(4))
            }))
        device.player.startOutsideSessions(
            .silence(duration: .seconds(3), sampleRate: 48_000), as: .session(.soloAmbient))
        clock.advance(by: .seconds(6))
        #expect(board.speaker.recordings[0].played == 48_000)
    }

    @Test("a log handler that blocks does not keep the motor on")
    func logger() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let logger = Logger(label: "slow") { _ in SlowLog(clock: clock) }
        let device = try Device.simulated(board, configuration: .init(logger: logger))
        device.vibrator?.start(try VibrationPattern(milliseconds: "300"))
        clock.advance(by: .seconds(20))
        #expect(board.motor.turns.map(\.length) == [.milliseconds(300)])
    }
}

/// Takes 4 s for a line.
private struct SlowLog: LogHandler {
    let clock: VirtualClock
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        clock.advance(by: .seconds(4))
    }
}
