import RingerCore
import Synchronization

/// Writes what happens on the simulated board, one line for each event, in words or as JSON.
final class SimulationLog: Sendable {
    private struct State {
        var start: MonotonicTime?
        /// The kind of each sound that was asked for, by its number.
        var sounds: [UInt64: String] = [:]
        var failure: RingerError?
        /// The lines since ``beginTest()``; nil if they are not kept.
        var lines: [String]?
        /// The first of them that ``finds(_:)`` looks at.
        var firstNew = 0
    }

    private let isJSON: Bool
    private let write: @Sendable (String) throws(RingerError) -> Void
    private let state = Mutex(State())

    /// A log that hands its lines to `write`. Its times count from `start`, or else from the first line.
    init(
        json: Bool, start: MonotonicTime? = nil, write: @escaping @Sendable (String) throws(RingerError) -> Void
    ) {
        isJSON = json
        self.write = write
        state.withLock { $0.start = start }
    }

    /// The first failure to write, if there was one.
    var failure: RingerError? { state.withLock { $0.failure } }

    /// Writes a line about `event`; some events get none.
    func note(_ event: DeviceEvent) {
        guard let line = line(for: event) else { return }
        note(line)
    }

    /// Writes a line about something that is no event of the device.
    func note(_ subject: String, _ text: String, at time: MonotonicTime) {
        note(Line(at: time, subject: subject, text: text))
    }

    /// Writes whether an expectation was met.
    func note(_ expectation: Expectation, line: Int, isMet: Bool, at time: MonotonicTime) {
        note(
            Line(
                at: time, subject: "expect", text: "\(isMet ? "ok" : "FAILED")  \(expectation.text) (line \(line))",
                json: .object([
                    ("line", .integer(Int64(line))), ("expect", .string(expectation.text)), ("passed", .bool(isMet)),
                ])))
    }

    /// Begins to keep lines, and drops those of the previous test. Sounds are numbered from 1 on each board.
    func beginTest() {
        state.withLock { state in
            state.lines = []
            state.firstNew = 0
            state.sounds = [:]
        }
    }

    /// The lines since ``beginTest()``.
    var linesOfTest: [String] { state.withLock { $0.lines ?? [] } }

    /// Whether one of the test's lines contains `text`; later calls look only at the lines after it.
    func finds(_ text: String) -> Bool {
        state.withLock { state in
            guard let lines = state.lines,
                let found = lines.indices.dropFirst(state.firstNew).first(where: { lines[$0].contains(text) })
            else { return false }
            state.firstNew = found + 1
            return true
        }
    }

    /// Writes what the detector found.
    func note(_ reading: MuteReading) {
        note(Line(at: reading.at, subject: "detector", text: reading.sentence, json: reading.json))
    }

    private struct Line {
        var at: MonotonicTime
        var subject: String
        var text: String
        var json: JSONValue?
    }

    private func note(_ line: Line) {
        let start = state.withLock { state in
            let start = state.start ?? line.at
            state.start = start
            return start
        }
        let time = (line.at - start).inSeconds
        let stamp = time.fixed(6)
        let words =
            String(repeating: " ", count: max(0, 12 - stamp.count)) + stamp + " s  "
            + line.subject.padded(to: 10) + line.text
        // Expectations look for events, not for each other.
        if line.subject != "expect" { state.withLock { $0.lines?.append(words) } }
        var members: [(String, JSONValue)] = [("at", .number(time)), ("what", .string(line.subject))]
        if case .object(let more)? = line.json {
            members += more
        } else {
            members.append(("event", .string(line.text)))
        }
        do throws(RingerError) {
            try write(isJSON ? JSONValue.object(members).description : words)
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func line(for event: DeviceEvent) -> Line? {
        switch event {
        case .switchMoved(let position, _, let at):
            return Line(at: at, subject: "switch", text: position.rawValue)
        case .switchEdgesDropped(let count, _, let at):
            return Line(at: at, subject: "switch", text: "dropped \(count?.counted("edge") ?? "some edges")")
        case .switchLost(let error, _, let at):
            return Line(at: at, subject: "switch", text: "lost: \(error)")
        case .switchFound(_, let at):
            return Line(at: at, subject: "switch", text: "found again")
        case .stateChanged(let change, _, let at):
            return Line(at: at, subject: "device", text: change.sentence)
        case .key(let key, let isPressed, let at):
            let change = DeviceStateChange.key(key, isPressed: isPressed, at: at)
            return Line(at: at, subject: "device", text: change.sentence)
        case .decided(let decision, let request, let sound, let at):
            // A later decision shows in the sound's outcome.
            guard name(request, sound) else { return nil }
            return Line(at: at, subject: "sound \(sound)", text: "\(request.sentence): \(decision.sentence)")
        case .playback(let event, let sound):
            guard let (at, text) = event.news else { return nil }
            return Line(at: at, subject: "sound \(sound)", text: text)
        case .soundEnded(let outcome, let sound, let at):
            return Line(at: at, subject: "sound \(sound)", text: outcome.sentence)
        case .fallback(let fallback, let sound, let at):
            return Line(
                at: at, subject: "sound \(sound)",
                text: fallback.reason == .incomplete ? "\(fallback)" : "another one instead: \(fallback)")
        case .session(let event, let id, let name, let at):
            let title = name.isEmpty ? "\(id.rawValue)" : name
            return Line(at: at, subject: "session", text: "\(title) \(event.sentence)")
        case .routeChanged(let change, let at):
            return Line(at: at, subject: "route", text: change.sentence)
        // The script, or the user, has set them.
        case .preferencesChanged: return nil
        case .vibration(let report):
            return Line(at: report.at, subject: "motor", text: report.sentence)
        case .detectorDisagrees(_, let position, let at):
            return Line(at: at, subject: "detector", text: "contradicts the switch at \(position.rawValue)")
        case .degraded(let error, let at):
            return Line(at: at, subject: "device", text: "\(error)")
        }
    }

    /// Remembers a new sound; false if it was known.
    private func name(_ request: SoundRequest, _ sound: UInt64) -> Bool {
        state.withLock { state in
            if state.sounds[sound] != nil { return false }
            state.sounds[sound] = request.sentence
            return true
        }
    }
}

extension SoundRequest {
    /// What the sound is, in words.
    fileprivate var sentence: String {
        switch self {
        case .session(let category, _, _, _, _, _): category.rawValue
        case .systemSound(let isUISound): isUISound ? "system sound" : "silent clip of the detector"
        case .alert: "alert"
        case .alarm: "alarm"
        case .notification(_, let isCritical): isCritical ? "critical notification" : "notification"
        case .vibration: "vibration"
        }
    }
}

extension Decision {
    /// The decision in words.
    package var sentence: String {
        switch self {
        case .play(let gain, let route, let vibrates, let reason):
            "play on \(route.rawValue)" + (gain < 1 ? " at \(Double(gain).fixed(2))" : "")
                + (vibrates ? " and vibrate" : "") + " (\(reason.rawValue))"
        case .silence(let reason): "silence (\(reason.rawValue))"
        case .vibrate(let reason): "vibrate (\(reason.rawValue))"
        }
    }
}

extension SoundOutcome {
    /// The outcome, in words.
    fileprivate var sentence: String {
        switch self {
        case .finished: "finished"
        case .silenced(let reason): "silenced by \(reason.rawValue)"
        case .stopped(let cause): "stopped (\(cause.rawValue))"
        case .failed(let error): "failed: \(error)"
        }
    }
}

extension DeviceStateChange {
    /// The change, in words.
    var sentence: String {
        switch self {
        case .headphoneInserted(let isInserted): isInserted ? "headphone in" : "headphone out"
        case .microphoneInserted(let isInserted): isInserted ? "microphone in" : "microphone out"
        case .outputVolume(let volume): "volume \(volume.map { Double($0).fixed(2) } ?? "unknown")"
        case .inputAvailable(let isAvailable): isAvailable ? "input available" : "no input"
        case .screenLocked(let isLocked): isLocked ? "locked" : "unlocked"
        case .keptPosition(let position, _): "kept position \(position?.rawValue ?? "none")"
        case .quietHours(let position, _): position.map { "quiet hours: \($0.rawValue)" } ?? "no quiet hours"
        case .quietHoursVolume(let volume, _):
            volume.map { "quiet hours: volume \(Double($0).fixed(2))" } ?? "quiet hours without a volume"
        case .route(let route): "route \(route.rawValue)"
        case .routePresent(let route, let isPresent): "\(route.rawValue) \(isPresent ? "there" : "gone")"
        case .otherAudioPlaying(let isPlaying): isPlaying ? "another process plays" : "no other process plays"
        case .outputFormat(let format): "output at \(format.sampleRate) Hz, \(format.channels.counted("channel"))"
        case .inputFormat(let format): "input at \(format.sampleRate) Hz, \(format.channels.counted("channel"))"
        case .outputLost(let isLost): isLost ? "output gone" : "output back"
        case .key(let key, let isPressed, _): "key \(key.rawValue) \(isPressed ? "pressed" : "released")"
        case .keyRepeated(let key, _): "key \(key.rawValue) repeated"
        case .buttonPressed: "button pressed"
        case .button: "button"
        case .wokeFromSleep: "woke from sleep"
        case .lost(let error): "lost: \(error)"
        case .found: "found again"
        }
    }
}

extension VibrationReport {
    fileprivate var at: MonotonicTime {
        switch self {
        case .on(_, let at), .off(let at), .limitReached(let at), .onFailed(_, let at), .offFailed(_, _, let at): at
        }
    }

    /// What the motor does, in words.
    fileprivate var sentence: String {
        switch self {
        case .on(let strength, _): strength < 1 ? "on at \(Double(strength).fixed(2))" : "on"
        case .off: "off"
        case .limitReached: "stopped: it reached its longest on-time"
        case .onFailed(let error, _): "\(error)"
        case .offFailed(let error, let attempt, _): "attempt \(attempt): \(error)"
        }
    }
}

extension PlaybackEvent {
    /// What is worth a line, and when it happened.
    fileprivate var news: (MonotonicTime, String)? {
        switch self {
        case .waiting(let error, let at): (at, "waits: \(error)")
        case .underrun(let at): (at, "underrun")
        case .recovered(let at): (at, "recovered")
        case .suspended(let at): (at, "suspended")
        case .resumed(let at): (at, "resumed")
        case .started, .progress, .ended: nil
        }
    }
}
