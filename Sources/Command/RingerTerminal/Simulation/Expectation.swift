import RingerCore

/// What a script expects of the board, and when.
struct Expectation: Sendable {
    /// A state of the board, or of something that a step began.
    enum State: Sendable {
        /// The speaker plays something that is not silence, at a gain above 0.
        case heard(on: AudioRoute?, at: Float?)
        /// The motor turns.
        case felt
        /// What was begun is not over.
        case running
        /// What was begun is over: with this outcome, for this reason, so long after it began.
        case ended(outcome: String?, by: String?, after: Duration?)
        case session(SessionWord)
        case position(SwitchPosition)
        case route(AudioRoute)
        case volume(Float?)
        case locked
        case detected(MuteReading.Verdict)
        /// A line of the log contains this.
        case report(String)
    }

    /// A state of an audio session.
    enum SessionWord: String, Sendable, CaseIterable {
        case active, inactive, interrupted, ducked, unducked, audible, inaudible
    }

    /// When the state is expected.
    enum Timing: Sendable {
        case now
        /// At some instant from now until then.
        case within(Duration)
        /// At every instant from now until just before then.
        case throughout(Duration)
    }

    /// The name of what is expected to be in the state; nil for the board, or for what was begun last.
    var subject: String?
    var state: State
    /// Whether it is expected not to be in the state.
    var isNegated = false
    var timing = Timing.now
    /// The expectation as the script says it.
    let text: String

    /// The outcomes that can be expected.
    private static let outcomes: Set<String> = [
        "finished", "silenced", "stopped", "failed", "refused", "timed-out", "limited", "ended",
    ]
    private static let others: Set<String> = [
        "heard", "silent", "felt", "still", "running", "at", "route", "volume", "locked", "unlocked", "detected",
        "report", "not", "within", "for",
    ]

    /// Whether `word` cannot be a name, because it means something in an expectation.
    static func isReserved(_ word: String) -> Bool {
        outcomes.contains(word) || others.contains(word) || SessionWord(rawValue: word) != nil
    }

    /// The expectation that the words after "expect" say.
    ///
    /// - Parameter names: The names that earlier steps of the test gave.
    init(_ words: inout ScriptWords, names: Set<String>) throws(ScriptMistake) {
        text = String(words.text.drop { $0 != " " && $0 != "\t" }.drop { $0 == " " || $0 == "\t" })
        if let word = words.next, !Self.isReserved(word) {
            guard names.contains(word) else {
                throw ScriptMistake(
                    "\"\(word)\" is no state, and no earlier line of the test gave that name (\"called \(word)\").")
            }
            subject = words.take()
        }
        isNegated = words.take("not")
        guard let word = words.take() else { throw ScriptMistake("expected a state, such as heard, silent or felt.") }
        var isOpposite = false
        state = try Self.state(word, &words, isNamed: subject != nil, &isOpposite)
        if words.take("within") {
            if isNegated {
                throw ScriptMistake(
                    "\"not\" and \"within\" can be read in two ways: say \"for TIME\", or the opposite state.")
            }
            timing = .within(try words.takeTime())
        } else if words.take("for") {
            timing = .throughout(try words.takeTime())
            if case .report = state, !isNegated {
                throw ScriptMistake("a line is reported at an instant: say \"within TIME\".")
            }
        }
        if isOpposite { isNegated.toggle() }
    }

    /// The state that `word` and what follows it say; `isOpposite` if it is the opposite of what is returned.
    private static func state(
        _ word: String, _ words: inout ScriptWords, isNamed: Bool, _ isOpposite: inout Bool
    ) throws(ScriptMistake) -> State {
        if let session = SessionWord(rawValue: word) { return .session(session) }
        if outcomes.contains(word) { return try outcome(word, &words) }
        switch word {
        case "heard", "silent":
            isOpposite = word == "silent"
            var (route, gain): (AudioRoute?, Float?)
            if word == "heard" && words.take("on") { route = try words.takeRoute() }
            if word == "heard" && words.take("at") { gain = try words.takeShare() }
            if isNamed && (route != nil || gain != nil) {
                throw ScriptMistake("\"on\" and \"at\" go with everything that is heard, not with a name.")
            }
            return .heard(on: route, at: gain)
        case "felt", "still":
            isOpposite = word == "still"
            if isNamed { throw ScriptMistake("the motor is the board's: \"\(word)\" goes without a name.") }
            return .felt
        case "running": return .running
        default: break
        }
        guard !isNamed else { throw ScriptMistake("\"\(word)\" is no state of what a name is given to.") }
        switch word {
        case "at":
            return .position(try words.take("ring, vibrate or silent") { SwitchPosition(rawValue: $0) })
        case "route": return .route(try words.takeRoute())
        case "volume": return .volume(words.take("unknown") ? nil : try words.takeShare())
        case "locked", "unlocked":
            isOpposite = word == "unlocked"
            return .locked
        case "detected":
            return .detected(try words.take("muted, audible or unknown") { MuteReading.Verdict(rawValue: $0) })
        case "report": return .report(try words.take("a text, in quotes if it has blanks") { $0.isEmpty ? nil : $0 })
        default: throw ScriptMistake("\"\(word)\" does not belong there.")
        }
    }

    private static func outcome(_ word: String, _ words: inout ScriptWords) throws(ScriptMistake) -> State {
        var (by, after): (String?, Duration?)
        if words.take("by") {
            let reasons = Decision.Reason.allCases.map(\.rawValue)
            let causes = SoundOutcome.StopCause.allCases.map(\.rawValue)
            switch word {
            case "silenced":
                by = try words.take("a reason: \(reasons.joined(separator: ", "))") { $0.named(in: reasons) }
            case "stopped": by = try words.take("a cause: \(causes.joined(separator: ", "))") { $0.named(in: causes) }
            default: throw ScriptMistake("\"by\" goes with silenced and stopped.")
            }
        }
        if words.take("after") { after = try words.takeTime() }
        return .ended(outcome: word == "ended" ? nil : word, by: by, after: after)
    }
}

extension ScriptWords {
    /// Takes a route.
    fileprivate mutating func takeRoute() throws(ScriptMistake) -> AudioRoute {
        let names = AudioRoute.allCases.map(\.rawValue).joined(separator: ", ")
        return try take("a route: \(names)") { AudioRoute(argument: $0) }
    }
}
