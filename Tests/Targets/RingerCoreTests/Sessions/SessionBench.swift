import RingerTestKit
import Testing

@testable import RingerCore

/// Sessions on a simulated board, in virtual time, with their events.
struct SessionBench {
    let bench: PlayerBench
    var board: SimulatedBoard { bench.board }
    var clock: VirtualClock { bench.clock }

    init(position: SwitchPosition? = .ring, routes: RouteBoard = .phone) throws {
        bench = try PlayerBench(position: position, routes: routes)
    }

    func make(
        _ name: String, _ category: AudioCategory, _ options: CategoryOptions = [],
        _ priority: SessionPriority = .ordinary
    ) throws -> AudioSession {
        try bench.sessions.make(name: name, category: category, options: options, priority: priority)
    }

    /// A session that is active and plays a sound of 10 s; its outcome goes to the bench's results.
    func playing(
        _ name: String, _ category: AudioCategory, _ options: CategoryOptions = [],
        _ priority: SessionPriority = .ordinary
    ) throws -> AudioSession {
        let session = try make(name, category, options, priority)
        #expect(activate(session) == nil)
        start(session)
        return session
    }

    /// A bench with a session.
    static func make(
        _ name: String, _ category: AudioCategory, _ options: CategoryOptions = []
    ) throws -> (SessionBench, AudioSession) {
        let bench = try SessionBench()
        return (bench, try bench.make(name, category, options))
    }

    /// A bench with a session that plays.
    static func playing(
        _ name: String, _ category: AudioCategory, _ options: CategoryOptions = []
    ) throws -> (SessionBench, AudioSession) {
        let bench = try SessionBench()
        return (bench, try bench.playing(name, category, options))
    }

    /// Activates a session, and says why it was refused.
    func activate(_ session: AudioSession) -> SessionError.Code? {
        let answers = Record<SessionError.Code?>()
        session.activate { answers.append($0?.code) }
        #expect(answers.all.count == 1)
        return answers.all.first ?? nil
    }

    func start(_ session: AudioSession, milliseconds: Int = 10_000) {
        let sound = PCMBuffer.silence(duration: .milliseconds(milliseconds), sampleRate: 48_000)
        session.start(sound) { [results = bench.results] in results.append($0) }
        clock.advance(by: .zero)
    }

    /// The sessions' events in order, except for their settings: "music: ducked".
    var told: [String] {
        bench.events.all.compactMap { event in
            guard case .session(let event, _, let name, _) = event else { return nil }
            if case .settingsChanged = event { return nil }
            return "\(name): \(Self.word(event))"
        }
    }

    /// The events after the first `count`.
    func told(since count: Int) -> [String] { Array(told.dropFirst(count)) }

    static func word(_ event: SessionEvent) -> String {
        switch event {
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .interruptionBegan(by: .session): "interrupted by a session"
        case .interruptionBegan(by: .outside): "interrupted from outside"
        case .interruptionBegan(by: .service): "interrupted by the service"
        case .interruptionEnded(let shouldResume): shouldResume ? "resume" : "no resume"
        case .interruptionDropped(let reason): "dropped, \(reason.rawValue)"
        case .soundStopped(let reason): "stopped, \(reason.rawValue)"
        case .ducked: "ducked"
        case .unducked: "unducked"
        case .settingsChanged(let settings): settings.category.rawValue
        case .routeChanged(let change): "\(change.old.name) to \(change.new.name), \(change.reason)"
        case .audible: "audible"
        case .silenced(let reason): "silenced, \(reason.rawValue)"
        }
    }

    var outcomes: [SoundOutcome] { bench.outcomes }
    var recordings: [SimulatedSoundOutput.Recording] { board.speaker.recordings }
}
