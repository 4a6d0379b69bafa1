import RingerCore
import Synchronization
import SystemPackage

/// A status light that the kernel shows as an LED; its `timer` trigger blinks without wake-ups of this process.
///
/// Any thread may use it. The corresponding kernel interface is the LED class, with the trigger ledtrig-timer.
public final class LEDLight: StatusLight, ColoredLight {
    private struct State {
        /// Whether the LED shows what this light does, and not what its earlier trigger does.
        var isInUse = false
        var isClosed = false
        /// The `multi_intensity` that the LED had, while it has a pattern's.
        var ownColor: String?
    }

    private let led: FilePath
    private let largest: String
    /// The trigger that the LED had before.
    private let earlierTrigger: String
    /// Serialises the hardware itself, across its system calls: nothing that a flip or another caller waits for takes it.
    private let state = Mutex(State())
    /// "LED green:status".
    public let name: String

    /// Uses the LED `led` as a status light, and turns it off. An LED that another trigger than `timer` drives, such as
    /// `heartbeat`, is left to it until the first ``show(_:)``.
    ///
    /// - Parameters:
    ///   - led: The LED's name in the LED class.
    ///   - paths: Where the kernel shows its devices.
    /// - Throws: ``RingerError`` if there is no such LED, or it is forbidden.
    public init(_ led: String, paths: HardwarePaths = .standard) throws(RingerError) {
        name = "LED \(led)"
        self.led = try paths.led(led)
        largest = try AttributeFile(path: self.led.appending("max_brightness")).read()
        earlierTrigger = Self.trigger(of: self.led)
        guard ["none", "timer"].contains(earlierTrigger) else { return }
        try turnOff()
        state.withLock { $0.isInUse = true }
    }

    deinit {
        // A deinitialiser cannot throw, and has no caller to report to.
        try? close()
    }

    /// Shows `pattern`.
    ///
    /// - Throws: ``RingerError``: `unsupported` if the kernel has no `timer` trigger to blink with, and the LED is lit instead;
    ///   `closed` after ``close()``; the system's reason if the LED is gone or may not be written.
    public func show(_ pattern: LightPattern) throws(RingerError) {
        try show(pattern, in: nil)
    }

    package func show(_ pattern: LightPattern, in color: LightColor?) throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            if state.isClosed { throw RingerError(.closed, "show a pattern", name) }
            state.isInUse = true
            if pattern != .off { setColor(color, &state.ownColor) }
            switch pattern {
            case .off: try turnOff()
            case .on: try light()
            case .blinking(let on, let off):
                try blink(on: LightPattern.milliseconds(on), off: LightPattern.milliseconds(off))
            }
        }
    }

    /// Turns the LED off, or returns it to the trigger that it had before.
    public func close() throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            if state.isClosed { return }
            state.isClosed = true
            guard state.isInUse else { return }
            if let own = state.ownColor { try? set("multi_intensity", own) }
            if earlierTrigger == "timer" { return try turnOff() }
            try set("brightness", "0")
            if earlierTrigger != "none" { try set("trigger", earlierTrigger) }
        }
    }

    /// The active trigger of the LED at `led`: the one in brackets in "none [timer] transient"; "none" on a kernel without
    /// triggers.
    static func trigger(of led: FilePath) -> String {
        let triggers = (try? AttributeFile(path: led.appending("trigger")).read())?.split(separator: " ") ?? []
        return triggers.first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) } ?? "none"
    }

    private var hasTimer: Bool { Self.trigger(of: led) == "timer" }

    // The kernel makes the files of a trigger anew whenever it is set, for root alone; udev changes their group some time
    // later. So a timer that is set stays, and is lit or dark all the time.

    private func turnOff() throws(RingerError) {
        if hasTimer, (try? setTimes(on: 0, off: 1)) != nil { return }
        // Also removes a trigger.
        try set("brightness", "0")
    }

    /// Gives a multicolor LED `color`, or its own again, which is white where it has none: the kernel multiplies its brightness
    /// with that of each of its colors (Documentation/leds/leds-class-multicolor.rst).
    /// Where it may not be written, the LED has the color that it has.
    private func setColor(_ color: LightColor?, _ own: inout String?) {
        guard let now = try? attribute("multi_intensity").read() else { return }
        let before = own ?? now
        guard let color, let parts = parts(of: color) else {
            let isDark = before.split(separator: " ").allSatisfy { $0 == "0" }
            let intensity = isDark ? before.split(separator: " ").map { _ in largest }.joined(separator: " ") : before
            if intensity != now { try? set("multi_intensity", intensity) }
            own = nil
            return
        }
        own = before
        try? set("multi_intensity", parts.joined(separator: " "))
    }

    /// The intensities of `color`, in the order of the LED's colors; nil where it has not all that it takes.
    private func parts(of color: LightColor) -> [String]? {
        let values = [("red", color.red), ("green", color.green), ("blue", color.blue)]
        guard let names = try? attribute("multi_index").read().split(separator: " ").map(String.init),
            values.allSatisfy({ $0.1 == 0 || names.contains($0.0) }), let most = Int64(largest), most <= Int32.max
        else { return nil }
        return names.map { name in
            let value = values.first { $0.0 == name }?.1 ?? 0
            return "\(Int64(value) * most / 255)"
        }
    }

    private func light() throws(RingerError) {
        if !hasTimer || (try? setTimes(on: 1, off: 0)) == nil { try set("brightness", "0") }
        try set("brightness", largest)
    }

    private func blink(on: Int, off: Int) throws(RingerError) {
        let isSet = hasTimer
        guard isSet || (try? attribute("trigger").read().contains(part: "timer")) == true else {
            try light()
            throw RingerError(.unsupported, "blink", name, detail: "the kernel has no trigger \"timer\"")
        }
        do throws(RingerError) {
            if !isSet { try set("trigger", "timer") }
            try set("brightness", largest)
            try setTimes(on: on, off: off)
        } catch {
            // The timer would blink on with other times.
            try? set("brightness", "0")
            throw error
        }
    }

    /// Sets the times of the timer in milliseconds: with 0 on the LED is dark, with 0 off it is lit.
    private func setTimes(on: Int, off: Int) throws(RingerError) {
        // First the one that is not 0: with both 0 the kernel blinks once a second.
        if off > 0 { try set("delay_off", "\(off)") }
        try set("delay_on", "\(on)")
        if off == 0 { try set("delay_off", "0") }
    }

    private func set(_ name: String, _ value: String) throws(RingerError) {
        try attribute(name).write(value)
    }

    private func attribute(_ name: String) -> AttributeFile { AttributeFile(path: led.appending(name)) }
}
