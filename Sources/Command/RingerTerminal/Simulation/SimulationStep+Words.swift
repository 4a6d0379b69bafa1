import Glibc
import RingerCore
import RingerTestKit

extension SimulationStep {
    /// The longest sound that a script plays. A minute of samples takes 6 MB.
    private static let longestSound = Duration.seconds(600)

    /// The step that the words of a line say.
    ///
    /// - Parameter names: The names that earlier steps of the test gave.
    init(_ words: ScriptWords, names: Set<String>) throws(ScriptMistake) {
        var words = words
        let line = words.rest
        guard let verb = words.take() else { throw ScriptMistake("expected a step.") }
        var step = try Self.board(verb, &words)
        if step == nil { step = try Self.firmware(verb, &words, names) }
        guard let step else {
            throw ScriptMistake("\"\(line)\" is no step; 'ringer simulate --help' lists them.")
        }
        try words.finish()
        if let name = step.newName, Expectation.isReserved(name) {
            throw ScriptMistake("\"\(name)\" means something else in \"expect\"; choose another name.")
        }
        self = step
    }

    /// The step, if it is about the board, the user or time.
    private static func board(_ verb: String, _ words: inout ScriptWords) throws(ScriptMistake) -> SimulationStep? {
        switch verb {
        case "ring": .move(.ring)
        case "vibrate-position": .move(.vibrate)
        case "silent": .move(.silent)
        case "flip": .flip
        case "unplug": .plug(false)
        case "plug": .plug(true)
        case "deny": .readable(false)
        case "allow": .readable(true)
        case "lock": .lock(true)
        case "unlock": .lock(false)
        case "keep":
            words.take("toggle")
                ? .keep(nil)
                : .keep(
                    try words.take("ring, vibrate, silent or toggle") { SwitchPosition(rawValue: $0) },
                    words.take("for") ? try words.takeTime() : nil)
        case "clock": .wallClock(words.take("unset") ? nil : try wallTime(&words))
        case "zone": .timeZone(try timeZone(&words))
        case "press": .press(words.take("for") ? try words.takeTime() : .zero)
        case "hold": .press(nil)
        case "release": .release
        case "volume-up", "volume-down":
            .volumeKey(verb == "volume-up" ? .volumeUp : .volumeDown, repeated: try steps(&words) - 1)
        case "button":
            .button(
                PositionButton(
                    order: try words.take("toggle or cycle") { PositionButton.Order(rawValue: $0) },
                    longPress: words.take("long") ? try words.takeTime() : nil))
        case "headphone": .surroundings(.headphoneInserted(try words.takeEither("in", "out")))
        case "microphone": .surroundings(.microphoneInserted(try words.takeEither("in", "out")))
        case "line": .surroundings(.routePresent(.line, try words.takeEither("in", "out")))
        case "bluetooth": .surroundings(.routePresent(.bluetooth, try words.takeEither("in", "out")))
        case "input": .surroundings(.inputAvailable(try words.takeEither("on", "off")))
        case "other-audio": .surroundings(.otherAudioPlaying(try words.takeEither("on", "off")))
        case "volume": .surroundings(.outputVolume(words.take("unknown") ? nil : try words.takeShare()))
        case "pcm":
            .output(
                try words.take("one of \(Output.allCases.map(\.rawValue).joined(separator: ", "))") {
                    Output(rawValue: $0)
                })
        case "motor": .motor(works: try words.takeEither("works", "fails"))
        case "set": try preference(&words)
        case "wait": .wait(try words.takeTime())
        default: nil
        }
    }

    /// How many steps a volume key makes: 1 without a number.
    private static func steps(_ words: inout ScriptWords) throws(ScriptMistake) -> Int {
        if words.isEmpty { return 1 }
        return try words.take("a number of steps from 1 to 100") { word in
            Int(word).flatMap { (1...100).contains($0) ? $0 : nil }
        }
    }

    private static func preference(_ words: inout ScriptWords) throws(ScriptMistake) -> SimulationStep {
        let name = try words.take(
            "a preference: \(UserPreference.all.map(\.hyphenated).joined(separator: ", "))"
        ) { word in UserPreference.all.first { $0.hyphenated == word } }
        if case .quietHours = name.value {
            let text = words.takeRest()
            if text.isEmpty { throw ScriptMistake("expected \(name.valueDescription).") }
            do throws(QuietHoursError) {
                if text != "none" { _ = try QuietHours(text) }
            } catch {
                throw ScriptMistake("\(error).")
            }
            return .prefer(name, text)
        }
        let value = try words.take(name.valueDescription) { word in
            var preferences = UserPreferences()
            return name.set(word, in: &preferences) ? word : nil
        }
        return .prefer(name, value)
    }

    /// Seconds of local time since 1970.
    private static func wallTime(_ words: inout ScriptWords) throws(ScriptMistake) -> Int64 {
        func numbers(_ what: String, _ separator: Character, _ count: Int) throws(ScriptMistake) -> [Int32] {
            try words.take(what) { word in
                let numbers = word.split(separator: separator, omittingEmptySubsequences: false).compactMap {
                    Int32($0)
                }
                return numbers.count == count && numbers.allSatisfy { (0...9_999).contains($0) } ? numbers : nil
            }
        }
        let date = try numbers("a date, such as 2026-03-02", "-", 3)
        let time = try numbers("a time of day, such as 21:59", ":", 2)
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
        (parts.tm_hour, parts.tm_min) = (time[0], time[1])
        let given = parts
        let seconds = Int64(timegm(&parts))
        // timegm makes the 2nd of March of the 30th of February.
        guard
            (given.tm_mon, given.tm_mday, given.tm_hour, given.tm_min) == (
                parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min
            ),
            seconds >= 0
        else { throw ScriptMistake("there is no such date or time of day.") }
        return seconds
    }

    private static func timeZone(_ words: inout ScriptWords) throws(ScriptMistake) -> String {
        let rules = try words.take("the rules of a time zone, such as CET-1CEST,M3.5.0,M10.5.0/3") { $0 }
        do throws(RingerError) {
            try SimulatedTimeZone().set(rules)
        } catch {
            throw ScriptMistake("\(error).")
        }
        return rules
    }

    /// The step, if it is about the firmware or an expectation.
    private static func firmware(
        _ verb: String, _ words: inout ScriptWords, _ names: Set<String>
    ) throws(ScriptMistake) -> SimulationStep? {
        func known(_ what: String) throws(ScriptMistake) -> String {
            try words.take("the name of \(what) that an earlier line of the test gave (\"called NAME\")") {
                names.contains($0) ? $0 : nil
            }
        }
        switch verb {
        case "play":
            if words.take("in") {
                let session = try known("a session")
                let clauses = try Clauses(&words, allowing: [.from, .for, .called])
                return .playIn(session: session, clauses.playing, name: clauses.name)
            }
            let category = try words.takeCategory()
            let clauses = try Clauses(&words, allowing: [.from, .for, .with, .called])
            return .play(clauses.playing, category, clauses.options, name: clauses.name)
        case "session":
            let category = try words.takeCategory()
            let clauses = try Clauses(&words, allowing: [.from, .for, .with, .priority, .called])
            return .session(clauses.playing, clauses.session(category), name: clauses.name)
        case "activate":
            let category = try words.takeCategory()
            let clauses = try Clauses(&words, allowing: [.with, .priority, .called])
            return .activate(clauses.session(category), name: clauses.name)
        case "deactivate": return .deactivate(try known("a session"))
        case "background", "foreground":
            return .background(verb == "background", session: words.isEmpty ? nil : try known("a session"))
        case "call": return .call
        case "answer": return .answer
        case "hang-up": return .hangUp
        case "sound":
            let sound = try words.takeSound()
            let clauses = try Clauses(&words, allowing: [.as, .called])
            return .sound(sound, asAlert: clauses.isAlert, name: clauses.name)
        case "alert", "alarm":
            let sound = try words.takeSound()
            let clauses = try Clauses(&words, allowing: [.by, .for, .called])
            return .alert(
                sound, verb == "alarm" ? .alarm : .alert, clauses.way, limit: clauses.length, name: clauses.name)
        case "notify":
            let file = words.next.flatMap { Clauses.Keyword(rawValue: $0) == nil ? words.take() : nil }
            let clauses = try Clauses(&words, allowing: [.in, .critical, .at, .called])
            if file != nil && clauses.folder == nil {
                throw ScriptMistake("expected the application's folder: notify FILE in FOLDER.")
            }
            return .notify(clauses.notification(file), container: clauses.folder, name: clauses.name)
        case "announce":
            let category = try words.takeCategory()
            let clauses = try Clauses(&words, allowing: [.from, .for, .with, .priority, .expiring, .at, .called])
            return .announce(
                clauses.playing, clauses.session(category), expiry: clauses.expiry, volume: clauses.volume,
                name: clauses.name)
        case "vibrate":
            let text = words.next.flatMap { Clauses.Keyword(rawValue: $0) == nil ? words.take() : nil }
            let clauses = try Clauses(&words, allowing: [.at, .called])
            return .vibrate(try pattern(text, strength: clauses.volume ?? 1), name: clauses.name)
        case "detect": return .detect
        case "stop": return .stop(words.isEmpty ? nil : try known("something"))
        case "expect": return .expect(try Expectation(&words, names: names))
        default:
            guard let control = QueueControl(rawValue: verb) else { return nil }
            _ = try words.take("\"announcements\"") { $0 == "announcements" || $0 == "announcement" ? $0 : nil }
            return .announcements(control)
        }
    }

    private static func pattern(_ text: String?, strength: Float) throws(ScriptMistake) -> VibrationPattern {
        do throws(RingerError) {
            guard let text else {
                return try VibrationPattern(pulses: VibrationPattern.standard.pulses, strength: strength)
            }
            return try VibrationPattern(milliseconds: text, strength: strength)
        } catch {
            throw ScriptMistake("\(error)")
        }
    }

    /// What may follow a step's first words, in any order.
    private struct Clauses {
        enum Keyword: String, CaseIterable {
            case from, `for`, with, priority, `in`, critical, at, by, `as`, expiring, called
        }

        var playing = Playing()
        var options: CategoryOptions = []
        var priority = SessionPriority.ordinary
        var folder: String?
        var isCritical = false
        var volume: Float?
        var way = AlertWay.both
        var isAlert = false
        var expiry: Duration?
        var name: String?

        var length: Duration? { playing.length }

        func session(_ category: AudioCategory) -> Session {
            Session(category: category, options: options, priority: priority)
        }

        func notification(_ file: String?) -> NotificationSound {
            let volume = volume ?? 1
            return switch (file, isCritical) {
            case (let file?, false): .named(file, volume: volume)
            case (let file?, true): .criticalNamed(file, volume: volume)
            case (nil, false): .standard(volume: volume)
            case (nil, true): .standardCritical(volume: volume)
            }
        }

        init(_ words: inout ScriptWords, allowing allowed: [Keyword]) throws(ScriptMistake) {
            let list = allowed.map(\.rawValue).joined(separator: ", ")
            // "play ambient 2" is "play ambient for 2".
            if allowed.contains(.for), words.next?.first?.isNumber == true {
                playing.length = try words.takeTime(atMost: longestSound)
            }
            while let word = words.next {
                guard let keyword = Keyword(rawValue: word), allowed.contains(keyword) else {
                    throw ScriptMistake("\"\(word)\" does not belong there; what may follow is: \(list).")
                }
                _ = words.take()
                try take(keyword, &words, longest: allowed.contains(.by) ? .seconds(86_400) : longestSound)
            }
        }

        private mutating func take(
            _ keyword: Keyword, _ words: inout ScriptWords, longest: Duration
        ) throws(ScriptMistake) {
            switch keyword {
            case .from: playing.sounds.append(try words.takeSound())
            case .for: playing.length = try words.takeTime(atMost: longest)
            case .with:
                let names = CategoryOptionName.allCases.map(\.rawValue).joined(separator: ", ")
                options.formUnion(
                    try words.take("an option: \(names)") { CategoryOptionName(argument: $0) }.option)
            case .priority:
                priority = try words.take("a priority: ordinary, call, alarm or a number") { SessionPriority($0) }
            case .in: folder = try words.take("a folder") { $0 }
            case .critical: isCritical = true
            case .at: volume = try words.takeShare()
            case .by: way = try words.take("one of sound, vibration, both, none") { AlertWay(rawValue: $0) }
            case .as: isAlert = try words.take("\"alert\"") { $0 == "alert" ? true : nil }
            case .expiring:
                _ = words.take("in")
                expiry = try words.takeTime()
            case .called: name = try words.take("a name") { $0 }
            }
        }
    }
}

extension ScriptWords {
    /// Takes a category.
    fileprivate mutating func takeCategory() throws(ScriptMistake) -> AudioCategory {
        let names = AudioCategory.allCases.map(\.rawValue).joined(separator: ", ")
        return try take("a category: \(names)") { AudioCategory(argument: $0) }
    }

    /// Takes a sound.
    fileprivate mutating func takeSound() throws(ScriptMistake) -> NamedSound {
        try take("a predefined sound's ID or name, or a file") { NamedSound(argument: $0) }
    }
}
