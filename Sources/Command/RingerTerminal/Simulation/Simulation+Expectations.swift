import RingerCore
import RingerTestKit

extension Simulation {
    /// Checks `expectation`, moving the clock from one timer to the next for as long as it allows.
    ///
    /// The state of the board is compared only after every timer of an instant has run.
    ///
    /// - Returns: nil if the expectation is met; otherwise the actual state, in words.
    func check(_ expectation: Expectation, on clock: VirtualClock) -> String? {
        func isMet() -> Bool { holds(expectation) != expectation.isNegated }
        let start = clock.now
        var met = isMet()
        switch expectation.timing {
        case .now: break
        case .within(let limit):
            while !met, clock.advanceToNextTimer(by: start + limit) {
                clock.advance()
                met = isMet()
            }
            if !met { clock.advance(to: start + limit) }
        case .throughout(let length):
            let end = start + length
            while met, clock.advanceToNextTimer(by: end + .nanoseconds(-1)) {
                clock.advance()
                met = isMet()
            }
            if met { clock.advance(to: end) }
        }
        guard !met else { return nil }
        let waited = clock.now - start
        return actual(expectation) + (waited > .zero ? ", \(waited.words) later" : "")
    }

    private func holds(_ expectation: Expectation) -> Bool {
        let state = device.state
        switch expectation.state {
        case .heard(let route, let gain):
            if let name = expectation.subject {
                return observations.request(named: name).map(observations.isPlaying) ?? false
            }
            return heard.contains { sound in
                (route == nil || route == sound.route) && (gain.map { abs($0 - sound.gain) < 0.005 } ?? true)
            }
        case .felt: return board.motor.isOn
        case .running: return subject(expectation).map { $0.ending == nil } ?? false
        case .ended(let word, let reason, let elapsed):
            guard let ending = subject(expectation)?.ending else { return false }
            let isInTime = elapsed.map { abs(($0 - ending.elapsed).nanoseconds) < 1_000 } ?? true
            return (word == nil || word == ending.word) && (reason == nil || reason == ending.by) && isInTime
        case .session(let word):
            guard let session = session(expectation), let state = session.state else { return word == .inactive }
            return switch word {
            case .active: state.isActive
            case .inactive: state.phase == .inactive
            case .interrupted: state.isInterrupted
            case .ducked: state.isDucked
            case .unducked: !state.isDucked
            case .audible: session.isAudible
            case .inaudible: !session.isAudible
            }
        case .position(let position): return state.ringSilent == position
        case .route(let route): return state.route == route
        case .volume(nil): return state.outputVolume == nil
        case .volume(let volume?): return state.outputVolume.map { abs($0 - volume) < 0.005 } ?? false
        case .locked: return state.isScreenLocked
        case .detected(let verdict): return observations.reading?.verdict == verdict
        case .report(let text): return log.finds(text)
        }
    }

    /// The actual state, in words, of what `expectation` is about.
    private func actual(_ expectation: Expectation) -> String {
        let state = device.state
        switch expectation.state {
        case .heard:
            if let name = expectation.subject, let request = observations.request(named: name) {
                return observations.isPlaying(request) ? "\(name) is heard" : describe(request)
            }
            let playing = heard.map { "\($0.route.rawValue) at \(Double($0.gain).fixed(2))" }
            if playing.isEmpty { return "nothing is heard" + (observations.request(named: nil).map(last) ?? "") }
            let titles = observations.titlesPlaying
            return (titles.isEmpty ? "a sound" : titles.joined(separator: ", "))
                + " is heard on \(playing.joined(separator: ", on "))"
        case .felt: return board.motor.isOn ? "the motor turns" : "the motor rests"
        case .running, .ended: return subject(expectation).map(describe) ?? "nothing was begun"
        case .session:
            guard let session = session(expectation) else { return "there is no session" }
            guard let state = session.state else { return "the session was removed" }
            return "\(session.name) is \(state.phase.rawValue)" + (state.isDucked ? ", ducked" : "")
                + (session.isAudible ? ", audible" : ", inaudible")
        case .position: return "the switch is at \(state.ringSilent?.rawValue ?? "an unknown position")"
        case .route: return "the route is \(state.route.rawValue)"
        case .volume: return "the volume is \(state.outputVolume.map { Double($0).fixed(2) } ?? "unknown")"
        case .locked: return state.isScreenLocked ? "the screen is locked" : "the screen is unlocked"
        case .detected: return observations.reading.map { "detected: \($0.sentence)" } ?? "nothing was detected"
        case .report: return "no such line"
        }
    }

    private func last(_ request: Observations.Request) -> String {
        request.ending == nil ? "" : "; \(describe(request))"
    }

    private func describe(_ request: Observations.Request) -> String {
        "\(request.name ?? request.title) " + (request.ending.map { $0.sentence } ?? "is running")
    }

    /// What the expectation is about: what has that name, or what was begun last.
    private func subject(_ expectation: Expectation) -> Observations.Request? {
        observations.request(named: expectation.subject) { !$0.isBareSession || $0.ending != nil }
    }

    private func session(_ expectation: Expectation) -> AudioSession? {
        observations.request(named: expectation.subject) { $0.session != nil }?.session
    }

    /// What the speaker plays that is not silence, at a gain above 0.
    private var heard: [(route: AudioRoute, gain: Float)] {
        board.speaker.playing.compactMap { recording in
            guard let gain = recording.gains.last, gain > 0, recording.sound.samples.contains(where: { $0 != 0 }) else {
                return nil
            }
            return (recording.route, gain)
        }
    }
}
