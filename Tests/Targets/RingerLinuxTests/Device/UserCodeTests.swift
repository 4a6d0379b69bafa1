import Logging
import RingerLinux
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

    @Test("an observer that blocks loses the oldest events, and gets their number and the newest")
    func eventsBound() throws {
        let clock = VirtualClock()
        let board = SimulatedBoard(clock: clock)
        let told = Mutex<[DeviceEvent]>([])
        let flips = 3 * Device.eventBuffer
        let completions = Atomic(0)
        let player = Mutex<Device?>(nil)
        let device = try Device.simulated(
            board,
            configuration: .init(observer: { event in
                told.withLock { $0.append(event) }
                guard case .stateChanged(.screenLocked, _, _) = event else { return }
                // What happens meanwhile waits for the end of this call, as behind an observer that blocks.
                let device = player.withLock { $0 }
                for flip in 0..<flips {
                    board.ringSilent.position = flip.isMultiple(of: 2) ? .silent : .ring
                    if flip % 1_000 == 1 {
                        device?.player.startOutsideSessions(.silence(duration: .milliseconds(1)), as: .alert) { _ in
                            // It is known only once the clock has moved, and waits behind the events.
                            completions.add(1, ordering: .relaxed)
                        }
                        clock.advance(by: .milliseconds(2))
                    }
                }
            }))
        player.withLock { $0 = device }
        let before = told.withLock { $0.count }
        board.surroundings.set(.screenLocked(true))
        let late = told.withLock { Array($0.dropFirst(before + 1)) }
        guard case .degraded(let error, _)? = late.first else {
            Issue.record("\(late.first.debugDescription) instead of the loss")
            return
        }
        #expect(late.count == Device.eventBuffer + 1)
        guard case .switchMoved(.ring, _, _)? = late.last else {
            Issue.record("\(late.last.debugDescription) is not the newest event")
            return
        }
        #expect(completions.load(ordering: .relaxed) == flips / 1_000 + 1)
        #expect(error.operation == "deliver \(device.lostEvents) events" && device.lostEvents > Device.eventBuffer)
        player.withLock { $0 = nil }
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
