import RingerCore

/// A line that `watch` shows: an event, or part of the initial state.
package struct WatchLine {
    /// Whether it shows part of the initial state, not an event.
    var isInitial = false

    private var event: String
    private var source: String
    private var at: MonotonicTime
    private var detail: String?
    /// Further JSON members, under the names that `status` uses.
    private var values: [(String, JSONValue)] = []

    /// The line of `event`; nil for events that `watch` does not show.
    package init?(_ event: DeviceEvent) {
        switch event {
        case .switchMoved(let position, let source, let at):
            self.init(event: position.rawValue, source: source, at: at)
        case .switchEdgesDropped(let count, let source, let at):
            self.init(event: "dropped", source: source, at: at, detail: count.map { $0.counted("edge") } ?? "edges")
        case .switchLost(let error, let source, let at):
            self.init(event: "lost", source: source, at: at, detail: "\(error)")
        case .switchFound(let source, let at):
            self.init(event: "found", source: source, at: at)
        case .stateChanged(let change, let source, let at):
            self.init(event: "state", source: source, at: at, detail: change.sentence, values: change.values)
        case .key(let key, let isPressed, let at):
            self.init(event: "key", source: key.rawValue, at: at, detail: isPressed ? "pressed" : "released")
        case .degraded(let error, let at):
            self.init(event: "degraded", source: error.subject, at: at, detail: "\(error)")
        case .session(let event, let id, let name, let at):
            self.init(event: "session", source: name.isEmpty ? "\(id.rawValue)" : name, at: at, detail: event.sentence)
        case .routeChanged(let change, let at):
            self.init(
                event: "route", source: "sessions", at: at, detail: change.sentence,
                values: [("route", .optional(change.new.output?.rawValue))])
        case .decided, .playback, .soundEnded, .fallback, .vibration, .detectorDisagrees, .preferencesChanged:
            return nil
        }
    }

    private init(
        event: String, source: String, at: MonotonicTime, detail: String? = nil, values: [(String, JSONValue)] = []
    ) {
        self.event = event
        self.source = source
        self.at = at
        self.detail = detail
        self.values = values
    }

    /// The current state of `device` besides the switch, one line each: routes, volume, input, jacks, lock, sessions, alerts.
    package static func initial(of device: Device) -> [WatchLine] {
        var alerts = WatchLine(alertsOf: device)
        alerts.isInitial = true
        return initial(
            state: device.state, route: device.sessions.deviceRoute, present: device.sessions.routes.presentNames,
            sessions: device.sessions.all.count, isOtherAudioPlaying: device.sessions.isOutsideAudioPlaying,
            at: device.clock.now) + [alerts]
    }

    /// The line of `event` of `device`; nil for events that `watch` does not show.
    package static func line(of event: DeviceEvent, on device: Device) -> WatchLine? {
        switch event {
        case .preferencesChanged: return WatchLine(alertsOf: device)
        case .stateChanged(.keptPosition, _, _), .stateChanged(.quietHours, _, _):
            var line = WatchLine(event)
            let effective = device.state.effectivePosition(device.preferences)
            line?.detail? += "; sounds are judged by \(effective.sentence)"
            line?.values += effective.members
            return line
        default: return WatchLine(event)
        }
    }

    /// How an alert is judged now, by the state and the user's preferences.
    private init(alertsOf device: Device) {
        let decision = device.decide(.alert)
        let isOn = device.preferences.doNotDisturb
        self.init(
            event: "state", source: "device", at: device.clock.now,
            detail: "do-not-disturb \(isOn ? "on" : "off"); an alert: \(decision.sentence)",
            values: [
                ("doNotDisturb", .bool(isOn)), ("alert", .string(decision.word)),
                ("alertReason", .string(decision.reason.rawValue)),
            ] + device.state.effectivePosition(device.preferences).members)
    }

    /// The given state, one line each.
    static func initial(
        state: DeviceState, route: SessionRoute, present: [String], sessions: Int, isOtherAudioPlaying: Bool,
        at: MonotonicTime
    ) -> [WatchLine] {
        func line(_ event: String, _ source: String, _ detail: String, _ values: [(String, JSONValue)]) -> WatchLine {
            var line = WatchLine(event: event, source: source, at: at, detail: detail, values: values)
            line.isInitial = true
            return line
        }
        func line(_ change: DeviceStateChange, _ remark: String = "") -> WatchLine {
            line("state", "device", change.sentence + remark, change.values)
        }
        let there = present.isEmpty ? "nothing" : present.joined(separator: ", ")
        let others = DeviceStateChange.otherAudioPlaying(isOtherAudioPlaying)
        return [
            line(
                "route", "sessions", "\(route.words); there: \(there)",
                [("route", .optional(route.output?.rawValue)), ("routes", .array(present.map(JSONValue.string)))]),
            line(.outputVolume(state.outputVolume), state.outputVolume == nil ? ": no mixer reports it" : ""),
            state.isInputAvailable.map { line(.inputAvailable($0)) }
                ?? line("state", "device", "input unknown: nothing reports it", [("inputAvailable", .null)]),
            line(.headphoneInserted(state.isHeadphoneInserted)),
            line(.microphoneInserted(state.isMicrophoneInserted)),
            line(.screenLocked(state.isScreenLocked), "; only the firmware reports a lock"),
            state.keptPosition.map { line(.keptPosition($0, until: state.keptPositionUntil)) },
            state.quietHours.map { line(.quietHours($0, until: state.quietHoursUntil)) },
            state.quietHoursVolume.map { line(.quietHoursVolume($0, until: state.quietHoursVolumeUntil)) },
            line(
                "session", "sessions", "\(sessions == 0 ? "none" : "\(sessions)") here; \(others.sentence)",
                [("sessions", .integer(Int64(sessions)))] + others.values),
        ].compactMap(\.self)
    }

    /// The line in words.
    package var text: String {
        "\(at.seconds.fixed(6))  \(event.padded(to: 8))  \(source)" + (detail.map { "  \($0)" } ?? "")
    }

    /// The line as JSON, with the position of the switch.
    package func json(ringSilent: SwitchPosition?) -> JSONValue {
        let isMove = SwitchPosition(rawValue: event) != nil
        var members: [(String, JSONValue)] = [
            ("ringSilent", .optional(ringSilent?.rawValue)), ("source", .string(source)), ("at", .number(at.seconds)),
            ("event", .string(isMove ? "position" : event)),
        ]
        if let detail { members.append(("detail", .string(detail))) }
        if isInitial { members.append(("initial", .bool(true))) }
        return .object(members + values)
    }
}

extension Device {
    /// Shows the current state in the terminal, the switch first, and then every change, until the device is closed.
    ///
    /// - Parameter length: Closes the device after this time; nil to leave that to others.
    package func showChanges(json: Bool = false, for length: Duration? = nil) async throws {
        var newest = state.ringSilent
        // Subscribe before reading, so that no change falls between.
        let events = eventsFromPosition
        var initial = WatchLine.initial(of: self)
        func show(_ line: WatchLine) throws {
            try Terminal.show(json ? line.json(ringSilent: newest).description : line.text)
        }
        if let length { _ = clock.schedule(at: clock.now + length) { self.close() } }
        for await event in events {
            if case .switchMoved(let position, _, _) = event { newest = position }
            guard var line = WatchLine.line(of: event, on: self) else { continue }
            // The position comes first.
            line.isInitial = !initial.isEmpty
            try show(line)
            for line in initial { try show(line) }
            initial = []
        }
    }
}

extension DeviceStateChange {
    /// The JSON members of the change; empty if "detail" says it all.
    fileprivate var values: [(String, JSONValue)] {
        switch self {
        case .headphoneInserted(let isInserted): [("headphone", .bool(isInserted))]
        case .microphoneInserted(let isInserted): [("microphone", .bool(isInserted))]
        case .outputVolume(let volume): [("outputVolume", .volume(volume))]
        case .inputAvailable(let isAvailable): [("inputAvailable", .bool(isAvailable))]
        case .screenLocked(let isLocked): [("locked", .bool(isLocked))]
        case .keptPosition(let position, let until):
            [
                ("keptPosition", .optional(position?.rawValue)),
                ("keptPositionUntil", until.map { .integer(Int64($0)) } ?? .null),
            ]
        case .quietHours(let position, let until):
            [
                ("quietHours", .optional(position?.rawValue)),
                ("quietHoursUntil", until.map { .integer(Int64($0)) } ?? .null),
            ]
        case .quietHoursVolume(let volume, let until):
            [
                ("quietHoursVolume", .volume(volume)),
                ("quietHoursVolumeUntil", until.map { .integer(Int64($0)) } ?? .null),
            ]
        case .route(let route): [("route", .string(route.rawValue))]
        case .otherAudioPlaying(let isPlaying): [("otherAudio", .bool(isPlaying))]
        case .routePresent, .outputFormat, .inputFormat, .outputLost, .key, .keyRepeated, .buttonPressed, .button,
            .wokeFromSleep, .lost, .found:
            []
        }
    }
}

extension Decision {
    /// "play", "silence" or "vibrate".
    package var word: String {
        switch self {
        case .play: "play"
        case .silence: "silence"
        case .vibrate: "vibrate"
        }
    }
}

extension RouteModel {
    /// The names of the present routes, in the order of the board's description.
    fileprivate var presentNames: [String] {
        board.entries.map(\.route).filter(present.contains).map(\.rawValue)
    }
}

extension JSONValue {
    /// An output volume to three digits; null if unknown.
    package static func volume(_ volume: Float?) -> JSONValue {
        volume.map { .number((Double($0) * 1000).rounded() / 1000) } ?? .null
    }
}
