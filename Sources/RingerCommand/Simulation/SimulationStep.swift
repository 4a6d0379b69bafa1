import ArgumentParser
import Ringer

/// One thing that somebody does to the simulated board.
enum SimulationStep: Sendable {
    case move(SwitchPosition)
    case flip
    case lock(Bool)
    case headphone(Bool)
    case plug(Bool)
    case play(AudioCategory, Duration?)
    case session(AudioCategory, Duration?)
    case call(Bool)
    case vibrate(VibrationPattern)
    case detect
    case stop
    case wait(Duration)

    /// What a script may say, for the help.
    static let grammar = """
        ring | vibrate-position | silent    move the switch there
        flip                                from ring to silent, or back to ring
        lock | unlock                       lock the screen, unlock it
        headphone in | headphone out        plug headphones in, pull them out
        unplug | plug                       unplug the switch itself, plug it in again
        play CATEGORY [SECONDS]             play a sound in that category
        session CATEGORY [SECONDS]          the same in an audio session of its own
        call | hang-up                      a call interrupts the sessions, and ends
        vibrate [ON,OFF,ON...]              turn the motor (milliseconds)
        detect                              find out by timing whether sounds are heard
        stop                                stop sounds and motor
        wait SECONDS                        let time go by
        """

    /// The step that a line of a script says; nil for an empty line or a comment ("# ...").
    init?(line: some StringProtocol) throws {
        let words = Substring(line).prefix(while: { $0 != "#" }).split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(
            String.init)
        guard let verb = words.first else { return nil }
        let rest = Array(words.dropFirst())
        guard let step = try Self.parse(verb, rest) else {
            throw ValidationError(
                "\"\(words.joined(separator: " "))\" is no step; 'ringer simulate --help' lists them.")
        }
        self = step
    }

    private static func parse(_ verb: String, _ rest: [String]) throws -> SimulationStep? {
        switch (verb, rest.count) {
        case ("ring", 0): return .move(.ring)
        case ("vibrate-position", 0): return .move(.vibrate)
        case ("silent", 0): return .move(.silent)
        case ("flip", 0): return .flip
        case ("lock", 0): return .lock(true)
        case ("unlock", 0): return .lock(false)
        case ("headphone", 1) where rest[0] == "in" || rest[0] == "out": return .headphone(rest[0] == "in")
        case ("unplug", 0): return .plug(false)
        case ("plug", 0): return .plug(true)
        case ("play", 1), ("play", 2):
            guard let category = AudioCategory(rawValue: rest[0]) else { return nil }
            return .play(category, try rest.count == 2 ? seconds(rest[1], longest: 30) : nil)
        case ("session", 1), ("session", 2):
            guard let category = AudioCategory(rawValue: rest[0]) else { return nil }
            return .session(category, try rest.count == 2 ? seconds(rest[1], longest: 30) : nil)
        case ("call", 0): return .call(true)
        case ("hang-up", 0): return .call(false)
        case ("vibrate", 0): return .vibrate(.standard)
        case ("vibrate", 1): return .vibrate(try VibrationPattern(milliseconds: rest[0]))
        case ("detect", 0): return .detect
        case ("stop", 0): return .stop
        case ("wait", 1): return .wait(try seconds(rest[0], longest: 3600))
        default: return nil
        }
    }

    private static func seconds(_ text: String, longest: Double) throws -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds <= longest else {
            throw ValidationError("\"\(text)\" is not a number of seconds above 0 and up to \(Int(longest)).")
        }
        return .seconds(seconds)
    }
}
