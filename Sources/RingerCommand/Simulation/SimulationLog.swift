import Ringer
import Synchronization

/// What happens on the simulated board, a line an event, as people read it or as JSON.
final class SimulationLog: Sendable {
    private struct State {
        var start: MonotonicTime?
        /// What the sounds are that were asked for, by number.
        var sounds: [UInt64: String] = [:]
        var failure: RingerError?
    }

    private let isJSON: Bool
    private let write: @Sendable (String) throws(RingerError) -> Void
    private let state = Mutex(State())

    /// A log that hands its lines to `write`.
    init(json: Bool, write: @escaping @Sendable (String) throws(RingerError) -> Void) {
        isJSON = json
        self.write = write
    }

    /// The first failure to write, if there was one.
    var failure: RingerError? { state.withLock { $0.failure } }

    /// Shows `event`, where it is worth a line.
    func note(_ event: DeviceEvent) {
        guard let line = line(for: event) else { return }
        note(line)
    }

    /// Shows what the detector found.
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
        let text: String
        if isJSON {
            var members: [(String, JSONValue)] = [("at", .number(time)), ("what", .string(line.subject))]
            if case .object(let more)? = line.json {
                members += more
            } else {
                members.append(("event", .string(line.text)))
            }
            text = JSONValue.object(members).description
        } else {
            let stamp = time.fixed(6)
            text =
                String(repeating: " ", count: max(0, 12 - stamp.count)) + stamp + " s  "
                + line.subject.padded(to: 10) + line.text
        }
        do throws(RingerError) {
            try write(text)
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    private func line(for event: DeviceEvent) -> Line? {
        switch event {
        case .switchMoved(let position, _, let at):
            return Line(at: at, subject: "switch", text: position.rawValue)
        case .switchEdgesDropped(let count, _, let at):
            return Line(at: at, subject: "switch", text: "dropped \(count.map(String.init) ?? "some") edges")
        case .switchLost(let error, _, let at):
            return Line(at: at, subject: "switch", text: "lost: \(error)")
        case .switchFound(_, let at):
            return Line(at: at, subject: "switch", text: "found again")
        case .stateChanged(let change, _, let at):
            return Line(at: at, subject: "device", text: change.sentence)
        case .decided(let decision, let request, let sound, let at):
            // A decision made anew shows in what becomes of the sound.
            guard name(request, sound) else { return nil }
            return Line(at: at, subject: "sound \(sound)", text: "\(request.sentence): \(decision.sentence)")
        case .playback(let event, let sound):
            guard let (at, text) = event.news else { return nil }
            return Line(at: at, subject: "sound \(sound)", text: text)
        case .soundEnded(let outcome, let sound, let at):
            return Line(at: at, subject: "sound \(sound)", text: outcome.sentence)
        case .fallback(let fallback, let sound, let at):
            return Line(at: at, subject: "sound \(sound)", text: "another one instead: \(fallback)")
        case .session(let event, let id, let name, let at):
            let title = name.isEmpty ? "\(id.rawValue)" : name
            return Line(at: at, subject: "session", text: "\(title) \(event.sentence)")
        case .routeChanged(let change, let at):
            return Line(at: at, subject: "route", text: change.sentence)
        case .vibration(let report):
            return Line(at: report.at, subject: "motor", text: report.sentence)
        case .detectorDisagrees(_, let position, let at):
            return Line(at: at, subject: "detector", text: "contradicts the switch at \(position.rawValue)")
        case .degraded(let error, let at):
            return Line(at: at, subject: "device", text: "\(error)")
        }
    }

    /// Remembers a new sound; false where it was known.
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
        case .session(let category, _, _, _): category.rawValue
        case .systemSound(let isUISound): isUISound ? "system sound" : "silent clip of the detector"
        case .alert: "alert"
        case .notification(_, let isCritical): isCritical ? "critical notification" : "notification"
        case .vibration: "vibration"
        }
    }
}

extension SoundOutcome {
    /// What became of the sound, in words.
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
        case .route(let route): "route \(route.rawValue)"
        case .routePresent(let route, let isPresent): "\(route.rawValue) \(isPresent ? "there" : "gone")"
        case .otherAudioPlaying(let isPlaying): isPlaying ? "another process plays" : "no other process plays"
        case .outputFormat(let format): "output at \(format.sampleRate) Hz, \(format.channels) channels"
        case .inputFormat(let format): "input at \(format.sampleRate) Hz, \(format.channels) channels"
        case .outputLost(let isLost): isLost ? "output gone" : "output back"
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
        case .limitReached: "stopped: it turned for as long as it may"
        case .onFailed(let error, _): "\(error)"
        case .offFailed(let error, let attempt, _): "attempt \(attempt): \(error)"
        }
    }
}

extension PlaybackEvent {
    /// What is worth a line, and when it happened.
    fileprivate var news: (MonotonicTime, String)? {
        switch self {
        case .underrun(let at): (at, "underrun")
        case .recovered(let at): (at, "recovered")
        case .suspended(let at): (at, "suspended")
        case .resumed(let at): (at, "resumed")
        case .started, .progress, .ended: nil
        }
    }
}
