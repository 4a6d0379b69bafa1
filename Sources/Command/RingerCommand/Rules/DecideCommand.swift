import ArgumentParser
import RingerLinux
import RingerClient
import RingerTerminal

/// `ringer decide`: whether a sound is heard, silenced or felt.
struct DecideCommand: AsyncParsableCommand, JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Report whether a sound would be heard, silenced or felt.",
        discussion: """
            Nothing is played: the answer comes from the rules that every sound goes through. What no option says of the \
            device's state and of the user's preferences is the service's, where it runs or the bus can start it; else the \
            switch is at ring, nothing is locked, and the preferences are the standard ones.
            JSON: {"decision":"play|silence|vibrate","reason":...,"route":...,"vibrates":...}
            """)

    /// The kinds of sound.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case session, announcement, system, alert, alarm, notification, critical, vibration
    }

    /// Whether a call is on, and its priority.
    enum Call: String, CaseIterable, ExpressibleByArgument {
        case none, ordinary, priority

        var activity: SessionActivity {
            switch self {
            case .none: []
            case .ordinary: [.call, .records]
            case .priority: [.call, .callByPriority, .records]
            }
        }
    }

    @Option(help: "The kind of sound; \"critical\" is a critical notification.")
    var kind = Kind.session
    @Option(
        name: .shortAndLong,
        help:
            "The session's category; also Apple's names and codes. (default: soloAmbient; playback for an announcement)"
    )
    var category: AudioCategory?
    @Option(name: .customLong("option"), help: "An option of the session's category; may be given several times.")
    var options: [CategoryOptionName] = []
    @Option(help: "The position of the switch.")
    var position: SwitchPosition?
    @Option(help: "The position that quiet hours ask for now.")
    var quiet: SwitchPosition?
    @Option(help: "The volume that quiet hours give announcements and media now, 0 to 1.")
    var quietVolume: Float?
    @Option(help: "The call that is on; priority, where its session has a call's priority.")
    var call: Call?
    @Flag(help: "The session's application is in the background.")
    var background = false
    @Flag(help: "The switch cannot be read, whatever --position says.")
    var unreadable = false
    @Flag(help: "The screen is locked.")
    var locked = false
    @Option(help: "The route that the sound takes.")
    var route: AudioRoute?
    @OptionGroup(title: "User preferences") var user: PreferenceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let quietVolume, !(0...1).contains(quietVolume) {
            throw ValidationError("--quiet-volume takes 0 to 1, not \(quietVolume).")
        }
        if kind == .session { return }
        let inCategory = [("--category", category != nil), ("--option", !options.isEmpty)]
        let given = (kind == .announcement ? [] : inCategory) + [("--background", background)]
        if let (name, _) = given.first(where: \.1) {
            throw ValidationError(
                "\(name) goes with --kind session: a sound of the kind \(kind.rawValue) has no session.")
        }
    }

    func run() async throws {
        let request: SoundRequest =
            switch kind {
            case .session: .session(category ?? .default, options: options.together, isInBackground: background)
            case .announcement: .session(category ?? .playback, options: options.together, announcement: .preferred)
            case .system: .systemSound()
            case .alert: .alert
            case .alarm: .alarm
            case .notification: .notification()
            case .critical: .notification(isCritical: true)
            case .vibration: .vibration
            }
        var (state, preferences) = (DeviceState(ringSilent: .ring), UserPreferences())
        if await Device.isServiceAvailable() {
            let device = try await Device.connect()
            defer { device.close() }
            await device.waitForSwitch()
            (state, preferences) = (device.state, device.preferences)
        }
        if unreadable || position != nil {
            (state.ringSilent, state.isSwitchUnreadable) = (unreadable ? nil : position, unreadable)
        }
        if let quiet { state.quietHours = quiet }
        if let quietVolume { state.quietHoursVolume = quietVolume }
        if locked { state.isScreenLocked = true }
        if let call {
            state.sessions.subtract([.call, .callByPriority])
            state.sessions.formUnion(call.activity)
        }
        state.route = route ?? state.route
        let decision = RingerPolicy.decide(
            request, state: state, preferences: user.preferences(insteadOf: preferences))
        try Terminal.show(output.json ? decision.json.description : decision.sentence)
    }
}

extension Decision {
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
