import RingerServices

/// A trace as a value-change dump, the format of logic analysers and simulators: GTKWave and PulseView open it.
///
/// Times are microseconds from the trace's beginning. `ring_silent` is 0 at ring, 1 at vibrate, 2 at silent;
/// `may_sound` and `may_vibrate` are the latest decision, and `reason` says why (PulseView leaves text out).
///
/// Source: IEEE 1364-2005, clause 18.2; text values are GTKWave's addition.
public enum ValueChangeDump {
    private enum Variable: String {
        case ringSilent = "!"
        case sound = "\""
        case motor = "#"
        case strength = "$"
        case maySound = "%"
        case mayVibrate = "&"
        case reason = "'"
    }

    /// The text of the dump.
    public static func text(of trace: SignalTrace) -> String {
        var writer = Writer()
        writer.line("$version Ringer $end")
        writer.line("$timescale 1 us $end")
        writer.line("$scope module device $end")
        writer.line("$var wire 2 \(Variable.ringSilent.rawValue) ring_silent [1:0] $end")
        writer.line("$var wire 1 \(Variable.sound.rawValue) sound $end")
        writer.line("$var wire 1 \(Variable.motor.rawValue) motor $end")
        writer.line("$var real 64 \(Variable.strength.rawValue) motor_strength $end")
        writer.line("$var wire 1 \(Variable.maySound.rawValue) may_sound $end")
        writer.line("$var wire 1 \(Variable.mayVibrate.rawValue) may_vibrate $end")
        writer.line("$var string 1 \(Variable.reason.rawValue) reason $end")
        writer.line("$upscope $end")
        writer.line("$enddefinitions $end")
        var sounding: Set<UInt64> = []
        let changes = trace.changes
        // A reader that starts with the first stamp needs a value of each: what is not known is not so.
        writer.time(0)
        writer.initial(changes.contains { if case .ringSilent = $0.signal { true } else { false } } ? "b0" : "bx")
        for change in changes {
            writer.time(microseconds(change.at - trace.start))
            switch change.signal {
            case .ringSilent(let position): writer.set(.ringSilent, "b\(bits(position)) ")
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
            case .outcome, .mark: break
            }
        }
        writer.time(microseconds(trace.lastInstant - trace.start))
        return writer.text
    }

    private static func bits(_ position: SwitchPosition) -> String {
        switch position {
        case .ring: "00"
        case .vibrate: "01"
        case .silent: "10"
        }
    }

    private static func microseconds(_ duration: Duration) -> Int64 { max(duration.nanoseconds, 0) / 1000 }

    /// Writes values that changed, and stamps only where some did.
    private struct Writer {
        private(set) var text = ""
        private var stamp: Int64 = -1
        private var values: [Variable: String] = [:]

        mutating func line(_ line: String) {
            text += line + "\n"
        }

        mutating func time(_ microseconds: Int64) {
            guard microseconds != stamp else { return }
            stamp = microseconds
            line("#\(microseconds)")
        }

        mutating func initial(_ ringSilent: String) {
            set(.ringSilent, ringSilent + " ")
            set(.sound, "0")
            set(.motor, "0")
            set(.strength, "r0 ")
            set(.maySound, "0")
            set(.mayVibrate, "0")
            set(.reason, "snone ")
        }

        mutating func set(_ variable: Variable, _ value: String) {
            guard values[variable] != value else { return }
            values[variable] = value
            line(value + variable.rawValue)
        }
    }
}
