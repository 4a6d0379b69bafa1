import ArgumentParser
import RingerLinux
import RingerTerminal

/// `ringer session`: one audio session, held open.
struct SessionCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Hold an audio session open, play in it, and show its events.",
        discussion: """
            Events: activated, audible, silenced, ducked, unducked, interruptionBegan, interruptionEnded, \
            interruptionDropped, soundStopped, routeChanged, settingsChanged, deactivated. Other processes' sessions are \
            not shown, only whether other processes play.
            JSON, one object a line: {"event":...,"detail":...,"at":seconds}; first
            {"event":"session","category":...,"route":...,"audible":...,
            "otherAudio":...}, for a sound {"event":"played","outcome":...}
            """)

    @Option(
        name: .shortAndLong, help: "The session's category; also Apple's names and codes.")
    var category = AudioCategory.default
    @Option(name: .customLong("option"), help: "An option of the category; may be given several times.")
    var options: [CategoryOptionName] = []
    @Option(
        help: "The session's priority: ordinary, call, alarm or a number (larger: more important). (default: ordinary)",
        transform: Self.priority)
    var priority: SessionPriority?
    @Option(
        help: ArgumentHelp("A sound to play in it. Without --for, the session ends with the sound.", valueName: "file"),
        completion: .file())
    var play: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
    var seconds: Double?
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup(title: "The device") var board: BoardOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let seconds, !(seconds >= 0 && seconds <= 1e9) {
            throw ValidationError("--for takes seconds from 0 to 1000000000, not \(seconds).")
        }
        if let option = options.first(where: { !category.allowedOptions.isSuperset(of: $0.option) }) {
            let names = CategoryOptionName.allCases.filter { category.allowedOptions.isSuperset(of: $0.option) }
            throw ValidationError(
                "--option \(option.rawValue): \(category.rawValue) allows "
                    + (names.isEmpty ? "no options." : "\(names.map(\.rawValue).joined(separator: ", ")) only."))
        }
    }

    private static func priority(_ text: String) throws -> SessionPriority {
        guard let priority = SessionPriority(text) else {
            throw ValidationError("--priority takes ordinary, call, alarm or a number, not \"\(text)\".")
        }
        return priority
    }

    func run() async throws {
        let sound = try play.map { try SoundLoader.load($0) }
        let device = try await board.makeDevice(
            following: .all, configuration: .init(preferences: user.preferences))
        defer { device.close() }
        let session = try device.sessions.make(
            name: "ringer", category: category, options: options.together, priority: priority ?? .ordinary)
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
        result.fallback?.warn()
        try Terminal.show(
            output.json
                ? JSONValue.object([("event", .string("played"))] + result.members).description : result.sentence)
        if case .failed(let error) = result.outcome { throw ShownFailure(description: "\(error)") }
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
