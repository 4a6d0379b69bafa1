import ArgumentParser
import Ringer

/// `ringer watch`: the switch, as it is and as it moves.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the switch's position, then everything that happens: routes, volume, input, lock, sessions.",
        discussion: """
            Nothing polls: the command sleeps until the kernel has news. Times are the kernel's stamps, in seconds of its
            monotonic clock.
            JSON, one object a line: {"ringSilent":"ring|vibrate|silent","source":...,"at":seconds,"event":...}
            """)

    @Option(name: .customLong("for"), help: "End after this many seconds.")
    var seconds: Double?
    @OptionGroup var board: BoardOptions
    @OptionGroup var trace: TraceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let seconds, !(seconds >= 0 && seconds <= 1e9) {
            throw ValidationError("--for takes seconds from 0 to 1000000000, not \(seconds).")
        }
    }

    func run() async throws {
        let recording = try trace.makeRecording()
        let device = try await board.makeDevice(
            requiring: .ringSilentSwitch, following: .all, recording: recording)
        defer { device.close() }
        if let seconds {
            let end = device.clock.now + .seconds(seconds)
            _ = device.clock.schedule(at: end) { device.close() }
        }
        var newest = device.state.ringSilent
        for await event in device.eventsFromPosition {
            if case .switchMoved(let position, _, _) = event { newest = position }
            guard let line = WatchLine(event) else { continue }
            try Terminal.show(output.json ? line.json(ringSilent: newest).description : line.text)
        }
        try recording?.finish(at: device.clock.now)
    }
}

/// What `watch` shows of an event.
private struct WatchLine {
    var event: String
    var source: String
    var at: MonotonicTime
    var detail: String?

    init?(_ event: DeviceEvent) {
        switch event {
        case .switchMoved(let position, let source, let at):
            self.init(event: position.rawValue, source: source, at: at)
        case .switchEdgesDropped(let count, let source, let at):
            self.init(event: "dropped", source: source, at: at, detail: count.map { "\($0) edges" } ?? "edges")
        case .switchLost(let error, let source, let at):
            self.init(event: "lost", source: source, at: at, detail: "\(error)")
        case .switchFound(let source, let at):
            self.init(event: "found", source: source, at: at)
        case .stateChanged(let change, let source, let at):
            self.init(event: "state", source: source, at: at, detail: change.sentence)
        case .degraded(let error, let at):
            self.init(event: "degraded", source: error.subject, at: at, detail: "\(error)")
        case .session(let event, let id, let name, let at):
            self.init(event: "session", source: name.isEmpty ? "\(id.rawValue)" : name, at: at, detail: event.sentence)
        case .routeChanged(let change, let at):
            self.init(event: "route", source: "sessions", at: at, detail: change.sentence)
        case .decided, .playback, .soundEnded, .fallback, .vibration, .detectorDisagrees:
            return nil
        }
    }

    private init(event: String, source: String, at: MonotonicTime, detail: String? = nil) {
        self.event = event
        self.source = source
        self.at = at
        self.detail = detail
    }

    var text: String {
        "\(at.seconds.fixed(6))  \(event.padded(to: 8))  \(source)" + (detail.map { "  \($0)" } ?? "")
    }

    func json(ringSilent: SwitchPosition?) -> JSONValue {
        let isMove = SwitchPosition(rawValue: event) != nil
        var members: [(String, JSONValue)] = [
            ("ringSilent", .optional(ringSilent?.rawValue)), ("source", .string(source)), ("at", .number(at.seconds)),
            ("event", .string(isMove ? "position" : event)),
        ]
        if let detail { members.append(("detail", .string(detail))) }
        return .object(members)
    }
}
