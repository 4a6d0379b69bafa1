import RingerTestKit

@testable import RingerCore

/// A player and a detector on a simulated board, in virtual time.
struct PlayerBench {
    let clock = VirtualClock()
    let board: SimulatedBoard
    let publisher: StatePublisher
    let player: SoundPlayer
    let sessions: AudioSessions
    let detector: MuteDetector
    let events = Record<DeviceEvent>()
    let results = Record<SoundResult>()
    let readings = Record<MuteReading>()
    /// What the speaker reported.
    let problems = Record<RingerError>()
    let start: MonotonicTime

    init(
        position: SwitchPosition? = .ring, routes: RouteBoard = .phone,
        service: ((VirtualClock) -> any DeviceService)? = nil
    ) throws {
        let clock = clock
        let events = events
        board = SimulatedBoard(
            clock: clock, position: position ?? .ring,
            routes: Dictionary(uniqueKeysWithValues: routes.entries.map { ($0.route, $0.pcm) }))
        start = clock.now
        let publisher = StatePublisher { if let event = $0() { events.append(event) } }
        self.publisher = publisher
        player = SoundPlayer(output: board.speaker, clock: clock, publisher: publisher) { events.append($0) }
        sessions = AudioSessions(
            player: player, publisher: publisher, clock: clock, board: routes, output: board.speaker,
            input: board.microphone, service: service?(clock),
            report: { events.append($0) })
        detector = MuteDetector(player: player, publisher: publisher, clock: clock) { events.append($0) }
        let problems = problems
        board.speaker.reportProblems { problems.append($0) }
        board.speaker.follow { publisher.change(.outputFormat($0), from: "speaker", at: clock.now) }
        if position != nil {
            try board.ringSilent.start { publisher.ringSilent($0, from: "switch") }
        }
        try board.surroundings.start { publisher.change($0, from: "surroundings", at: clock.now) }
    }

    /// Begins a sound of so many milliseconds; its outcome goes to `results`.
    @discardableResult
    func play(_ milliseconds: Int, as request: SoundRequest = .session(.soloAmbient)) -> SoundPlayer.ID {
        let sound = PCMBuffer.silence(duration: .milliseconds(milliseconds), sampleRate: 48_000)
        return player.startOutsideSessions(sound, as: request) { [results] in results.append($0) }
    }

    /// Begins to measure; the reading goes to `readings`.
    func measure() {
        detector.measure { [readings] in readings.append($0) }
    }

    var outcomes: [SoundOutcome] { results.all.map(\.outcome) }
}

extension RouteBoard {
    /// A phone's: speaker, receiver and a jack.
    static let phone: RouteBoard = {
        do {
            return try RouteBoard([
                Entry(.speaker, pcm: "speaker"), Entry(.receiver, pcm: "receiver"),
                Entry(.headphone, pcm: "headphone"), Entry(.headset, pcm: "headphone"),
            ])
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}
