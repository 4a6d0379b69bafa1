import ArgumentParser
import Ringer

/// `ringer session`: one audio session, held open.
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Hold an audio session open, play in it, and show what it is told.",
        discussion: """
            Events: activated, audible, silenced, ducked, unducked, interruptionBegan, interruptionEnded, \
            interruptionDropped, soundStopped, routeChanged, settingsChanged, deactivated. Sessions of other processes \
            are not seen; whether they play is.
            JSON, one object a line: {"event":...,"detail":...,"at":seconds}; first
            {"event":"session","category":...,"route":...,"audible":...,
            "otherAudio":...}, for a sound {"event":"played","outcome":...}
            """)

    @Option(name: .shortAndLong, help: "What the session's audio is for.")
    var category = AudioCategory.default
    @Option(name: .customLong("option"), help: "An option of the category; may be given several times.")
    var options: [CategoryOptionName] = []
    @Option(help: "How much it matters: ordinary, call, alarm or a number.", transform: Self.priority)
    var priority = SessionPriority.ordinary
    @Option(help: "A sound to play in it. Without --for, the session ends with the sound.", completion: .file())
    var play: String?
    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?
    @OptionGroup var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let seconds, !(seconds >= 0 && seconds <= 1e9) {
            throw ValidationError("--for takes seconds from 0 to 1000000000, not \(seconds).")
        }
    }

    private static func priority(_ text: String) throws -> SessionPriority {
        switch text {
        case "ordinary": return .ordinary
        case "call": return .call
        case "alarm": return .alarm
        default:
            guard let number = Int(text) else {
                throw ValidationError("--priority takes ordinary, call, alarm or a number, not \"\(text)\".")
            }
            return SessionPriority(rawValue: number)
        }
    }

    func run() async throws {
        let sound = try play.map { try SoundLoader.load($0) }
        let device = try await board.makeDevice(following: .all)
        defer { device.close() }
        let session = try device.sessions.make(
            name: "ringer", category: category, options: options.together, priority: priority)
        let events = device.events
        try await session.activate()
        try show(
            "session",
            [
                ("category", .string(category.rawValue)), ("route", .string(session.routeName)),
                ("audible", .bool(session.isAudible)), ("otherAudio", .bool(session.isOtherAudioPlaying)),
            ])
        if let seconds { _ = device.clock.schedule(at: device.clock.now + .seconds(seconds)) { device.close() } }
        let playing = sound.map { sound in
            Task {
                let result = await session.play(sound)
                if seconds == nil { device.close() }
                return result
            }
        }
        for await event in events {
            guard case .session(let event, session.id, _, let at) = event else { continue }
            var members: [(String, JSONValue)] = event.detail.map { [("detail", .string($0))] } ?? []
            members.append(("at", .number(at.seconds)))
            try show(event.word, members)
        }
        guard let result = await playing?.value else { return }
        try Terminal.show(
            output.json
                ? JSONValue.object([("event", .string("played"))] + result.members).description : result.sentence)
        if case .failed(let error) = result.outcome { throw error }
    }

    private func show(_ event: String, _ members: [(String, JSONValue)]) throws {
        if output.json {
            return try Terminal.show(JSONValue.object([("event", .string(event))] + members).description)
        }
        let words = members.map { name, value in
            switch value {
            case .string(let text): name == "detail" ? text : "\(name) \(text.isEmpty ? "none" : text)"
            case .number(let number): number.fixed(6)
            case .bool(let isTrue): "\(name) \(isTrue ? "yes" : "no")"
            default: "\(name) \(value)"
            }
        }
        try Terminal.show(event.padded(to: 20) + words.joined(separator: "  "))
    }
}
