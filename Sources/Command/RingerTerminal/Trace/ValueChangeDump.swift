import RingerCore

/// A trace as a value-change dump, the format of logic analysers and simulators: GTKWave and PulseView open it.
///
/// Times are in microseconds from the trace's start. One of `switch_ring`, `switch_vibrate` and `switch_silent` is 1;
/// `may_sound` and `may_vibrate` are the latest decision. `motor_strength` (a number) and `reason` (a text) are for
/// readers that support these types; PulseView ignores them.
///
/// Source: IEEE 1364-2005, clause 18.2; text values are GTKWave's addition.
public enum ValueChangeDump {
    private enum Variable: String {
        case ring = "!"
        case vibrate = "("
        case silent = ")"
        case sound = "\""
        case motor = "#"
        case strength = "$"
        case maySound = "%"
        case mayVibrate = "&"
        case reason = "'"
        case mark = "*"
    }

    /// The text of the dump.
    public static func text(of trace: SignalTrace) -> String {
        var writer = Writer()
        writer.line("$version Ringer $end")
        writer.line("$timescale 1 us $end")
        writer.line("$scope module device $end")
        writer.line("$var wire 1 \(Variable.ring.rawValue) switch_ring $end")
        writer.line("$var wire 1 \(Variable.vibrate.rawValue) switch_vibrate $end")
        writer.line("$var wire 1 \(Variable.silent.rawValue) switch_silent $end")
        writer.line("$var wire 1 \(Variable.sound.rawValue) sound $end")
        writer.line("$var wire 1 \(Variable.motor.rawValue) motor $end")
        writer.line("$var real 64 \(Variable.strength.rawValue) motor_strength $end")
        writer.line("$var wire 1 \(Variable.maySound.rawValue) may_sound $end")
        writer.line("$var wire 1 \(Variable.mayVibrate.rawValue) may_vibrate $end")
        writer.line("$var string 1 \(Variable.reason.rawValue) reason $end")
        let changes = trace.changes
        let hasMarks = changes.contains { if case .mark = $0.signal { true } else { false } }
        if hasMarks { writer.line("$var string 1 \(Variable.mark.rawValue) mark $end") }
        writer.line("$upscope $end")
        writer.line("$enddefinitions $end")
        var sounding: Set<UInt64> = []
        writer.time(0)
        // A reader that starts at the first timestamp needs a value of every variable.
        let first = changes.first { $0.at > trace.start }.map(\.at) ?? trace.lastInstant
        let isKnown = changes.contains { change in
            if case .ringSilent = change.signal { change.at < first } else { false }
        }
        writer.initial(switchIsKnown: isKnown)
        if hasMarks { writer.set(.mark, "snone ") }
        for change in changes {
            writer.time(microseconds(change.at - trace.start))
            switch change.signal {
            case .ringSilent(let position):
                writer.set(.ring, position == .ring ? "1" : "0")
                writer.set(.vibrate, position == .vibrate ? "1" : "0")
                writer.set(.silent, position == .silent ? "1" : "0")
            case .sound(let sound, let isOn):
                if isOn { sounding.insert(sound) } else { sounding.remove(sound) }
                writer.set(.sound, sounding.isEmpty ? "0" : "1")
            case .motor(let strength):
                writer.set(.motor, strength > 0 ? "1" : "0")
                writer.set(.strength, "r\(strength) ")
            case .decision(let decision):
                writer.set(.maySound, decision.isHeard ? "1" : "0")
                writer.set(.mayVibrate, decision.vibrates ? "1" : "0")
                writer.set(.reason, "s\(decision.reason.rawValue) ")
            // A value ends at a blank.
            case .mark(let text): writer.set(.mark, "s\(String(text.map { $0.isWhitespace ? "_" : $0 })) ")
            case .outcome: break
            }
        }
        writer.time(microseconds(trace.lastInstant - trace.start))
        writer.writeTime()
        return writer.text
    }

    private static func microseconds(_ duration: Duration) -> Int64 { max(duration.nanoseconds, 0) / 1000 }

    /// Writes values that changed, and timestamps only if values follow.
    private struct Writer {
        private(set) var text = ""
        private var stamp: Int64 = -1
        private var writtenStamp: Int64 = -1
        private var values: [Variable: String] = [:]

        mutating func line(_ line: String) {
            text += line + "\n"
        }

        /// Sets the time of the values that follow.
        mutating func time(_ microseconds: Int64) {
            stamp = microseconds
        }

        /// Writes the time, unless it was written.
        mutating func writeTime() {
            guard stamp != writtenStamp else { return }
            writtenStamp = stamp
            line("#\(stamp)")
        }

        mutating func initial(switchIsKnown: Bool) {
            if !switchIsKnown {
                set(.ring, "x")
                set(.vibrate, "x")
                set(.silent, "x")
            }
            set(.sound, "0")
            set(.motor, "0")
            set(.strength, "r0.0 ")
            set(.maySound, "0")
            set(.mayVibrate, "0")
            set(.reason, "snone ")
        }

        mutating func set(_ variable: Variable, _ value: String) {
            guard values[variable] != value else { return }
            values[variable] = value
            writeTime()
            line(value + variable.rawValue)
        }
    }
}
