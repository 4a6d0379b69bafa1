import RingerCore
import RingerTestKit
import SessionProperties
import SessionRules
import Synchronization
import Testing

/// Sessions on a simulated board, in virtual time, for tests of their properties.
struct PropertyBench {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let sessions: AudioSessions
    let outcomes = Record<SoundOutcome>()
    private let publisher: StatePublisher

    init() throws {
        let clock = clock
        let board = SimulatedBoard(clock: clock)
        let publisher = StatePublisher()
        let player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher)
        self.board = board
        self.publisher = publisher
        sessions = AudioSessions(
            player: player, publisher: publisher, clock: clock,
            board: RouteBoard(pcm: "speaker", routes: [.receiver: "ear"]),
            output: board.speaker, input: board.microphone)
        board.speaker.follow { publisher.change(.outputFormat($0), from: "speaker", at: clock.now) }
        try board.ringSilent.start { publisher.ringSilent($0, from: "switch") }
        try board.surroundings.start { publisher.change($0, from: "surroundings", at: clock.now) }
    }

    /// A bench, and a session of that category.
    static func session(_ category: AudioCategory) throws -> (PropertyBench, AudioSession) {
        let bench = try PropertyBench()
        return (bench, bench.sessions.make(category: category))
    }

    /// A session that is active and plays a sound of 10 s.
    func playing(_ category: AudioCategory) -> AudioSession {
        let session = sessions.make(category: category)
        activate(session)
        start(session)
        return session
    }

    func activate(_ session: AudioSession) {
        session.activate { #expect($0 == nil) }
    }

    func start(_ session: AudioSession, milliseconds: Int = 10_000, sampleRate: Double = 48_000) {
        let sound = PCMBuffer.silence(duration: .milliseconds(milliseconds), sampleRate: sampleRate)
        session.start(sound) { [outcomes] in outcomes.append($0.outcome) }
        clock.advance(by: .zero)
    }
}

/// Values in the order in which they were appended.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}
