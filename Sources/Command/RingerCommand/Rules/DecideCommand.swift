import ArgumentParser
import RingerCore
import RingerTerminal

/// `ringer decide`: whether a sound is heard, silenced or felt, from the rules alone.
struct DecideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Report whether a sound would be heard, silenced or felt.",
        discussion: """
            Nothing is opened and nothing is played: the answer comes from the rules that every sound goes through.
            JSON: {"decision":"play|silence|vibrate","reason":...,"route":...,"vibrates":...}
            """)

    /// The kinds of sound.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case session, system, alert, notification, critical, vibration
    }

    @Option(help: "The kind of sound; \"critical\" is a critical notification.")
    var kind = Kind.session
    @Option(
        name: .shortAndLong,
        help: "The session's category; also Apple's names and codes. (default: soloAmbient)")
    var category: AudioCategory?
    @Option(name: .customLong("option"), help: "An option of the session's category; may be given several times.")
    var options: [CategoryOptionName] = []
    @Option(help: "The position of the switch.")
    var position = SwitchPosition.ring
    @Flag(help: "The session's application is in the background.")
    var background = false
    @Flag(help: "The switch cannot be read, whatever --position says.")
    var unreadable = false
    @Flag(help: "The screen is locked.")
    var locked = false
    @Option(help: "The route that the sound takes.")
    var route = AudioRoute.speaker
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if kind == .session { return }
        let given = [("--category", category != nil), ("--option", !options.isEmpty), ("--background", background)]
        if let (name, _) = given.first(where: \.1) {
            throw ValidationError(
                "\(name) goes with --kind session: a sound of the kind \(kind.rawValue) has no session.")
        }
    }

    func run() throws {
        let request: SoundRequest =
            switch kind {
            case .session: .session(category ?? .default, options: options.together, isInBackground: background)
            case .system: .systemSound()
            case .alert: .alert
            case .notification: .notification()
            case .critical: .notification(isCritical: true)
            case .vibration: .vibration
            }
        var state = DeviceState(ringSilent: unreadable ? nil : position, isScreenLocked: locked, route: route)
        state.isSwitchUnreadable = unreadable
        let decision = RingerPolicy.decide(request, state: state, preferences: user.preferences)
        try Terminal.show(output.json ? decision.json.description : decision.sentence)
    }
}

extension Decision {
    /// "play", "silence" or "vibrate".
    var word: String {
        switch self {
        case .play: "play"
        case .silence: "silence"
        case .vibrate: "vibrate"
        }
    }

    /// The decision as JSON.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [("decision", .string(word)), ("reason", .string(reason.rawValue))]
        if case .play(let gain, let route, _, _) = self {
            members.append(("route", .string(route.rawValue)))
            members.append(("gain", .number(Double(gain))))
        }
        members.append(("vibrates", .bool(vibrates)))
        return .object(members)
    }
}
