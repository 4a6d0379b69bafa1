import Ringer
import RingerTestKit
import Synchronization

/// Activities that must take no memory for good, on a simulated board in virtual time.
struct Flat {
    /// An activity: its name, and one round of it.
    struct Activity {
        let name: String
        let round: (_ number: Int) throws -> Void
    }

    private let clock = VirtualClock()
    private let board: SimulatedBoard
    private let device: Device
    private let results = Results()

    init() throws {
        board = SimulatedBoard(clock: clock)
        board.speaker.recordingLimit = 10
        board.motor.turnLimit = 10
        device = try Device.simulated(board)
    }

    /// How many rounds ended with the result that they were to have.
    var asExpected: Int { results.count }

    func close() { device.close() }

    func activities() throws -> [Activity] {
        let sound = PCMBuffer.silence(duration: .milliseconds(200), sampleRate: 8_000)
        let id = try device.sounds.register(sound)
        return [
            Activity(name: "plays") { number in try play(sound, flipping: number.isMultiple(of: 2)) },
            Activity(name: "alerts") { number in alert(id, stopping: number.isMultiple(of: 2)) },
            Activity(name: "sessions") { number in try sessions(sound, interrupting: number.isMultiple(of: 2)) },
            Activity(name: "registrations") { _ in try register(sound) },
            Activity(name: "detections") { number in detect(muted: number.isMultiple(of: 2)) },
        ]
    }

    /// A sound that is heard to its end, or stopped by the switch.
    private func play(_ sound: PCMBuffer, flipping: Bool) throws {
        try device.start(sound, category: .soloAmbient) { [results] in
            switch $0.outcome {
            case .finished: if !flipping { results.add() }
            case .silenced(by: .ringSilentSwitch): if flipping { results.add() }
            default: break
            }
        }
        clock.advance(by: .milliseconds(100))
        if flipping { board.ringSilent.position = .silent }
        clock.advance(by: .milliseconds(200))
        board.ringSilent.position = .ring
        clock.advance(by: .seconds(1))
    }

    /// An alert that times out, or is stopped.
    private func alert(_ id: SystemSoundID, stopping: Bool) {
        device.alerts.start(id, way: .both, limit: .seconds(1)) { [results] in
            switch $0.outcome {
            case .timedOut: if !stopping { results.add() }
            case .stopped: if stopping { results.add() }
            default: break
            }
        }
        clock.advance(by: .milliseconds(300))
        if stopping { device.alerts.stop() }
        clock.advance(by: .seconds(2))
    }

    /// A session that is made, followed, activated and played in, alone or interrupted by another one.
    private func sessions(_ sound: PCMBuffer, interrupting: Bool) throws {
        let session = device.sessions.make(name: "music", category: .playback)
        let events = session.events
        session.activate { _ in }
        session.start(sound) { [results] in
            switch $0.outcome {
            case .finished: if !interrupting { results.add() }
            case .silenced(by: .interruption): if interrupting { results.add() }
            default: break
            }
        }
        clock.advance(by: .milliseconds(100))
        if interrupting {
            let call = device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
            call.activate { _ in }
            clock.advance(by: .milliseconds(100))
            call.deactivate { _ in }
        }
        clock.advance(by: .milliseconds(200))
        session.deactivate { _ in }
        clock.advance(by: .seconds(1))
        withExtendedLifetime(events) {}
    }

    /// A system sound that is registered, heard and disposed of.
    private func register(_ sound: PCMBuffer) throws {
        let id = try device.sounds.register(sound)
        device.sounds.start(id) { [results] in
            if $0.outcome == .finished { results.add() }
        }
        clock.advance(by: .milliseconds(300))
        try device.sounds.dispose(id)
    }

    /// A detection at ring or at silent.
    private func detect(muted: Bool) {
        if muted { board.ringSilent.position = .silent }
        clock.advance(by: .milliseconds(100))
        device.muteDetector.measure { [results] in
            if $0.verdict == (muted ? .muted : .audible) { results.add() }
        }
        clock.advance(by: .seconds(1))
        board.ringSilent.position = .ring
        clock.advance(by: .milliseconds(100))
    }
}

/// How many results were as expected.
private final class Results: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() { value.wrappingAdd(1, ordering: .relaxed) }
}
