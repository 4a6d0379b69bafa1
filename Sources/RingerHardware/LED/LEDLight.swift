import RingerServices
import Synchronization
import SystemPackage

/// A status light that the kernel shows as an LED; its `timer` trigger blinks without wake-ups of this process.
///
/// The corresponding kernel interface is the LED class, with the trigger ledtrig-timer.
public final class LEDLight: StatusLight {
    private let led: FilePath
    private let largest: String
    private let isClosed = Mutex(false)
    /// "LED green:status".
    public let name: String

    /// Uses the LED `led` as a status light, and turns it off.
    ///
    /// - Parameters:
    ///   - led: The LED's name in the LED class.
    ///   - paths: Where the kernel shows its devices.
    /// - Throws: ``RingerError`` if there is no such LED, or it is forbidden.
    public init(_ led: String, paths: HardwarePaths = .standard) throws(RingerError) {
        guard let component = FilePath.Component(led), component.kind == .regular else {
            throw RingerError(.invalid, "use as an LED's name", led)
        }
        name = "LED \(led)"
        self.led = paths.leds.appending(component)
        largest = try AttributeFile(path: self.led.appending("max_brightness")).read()
        try set("brightness", "0")
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
        try isClosed.withLock { isClosed throws(RingerError) in
            if isClosed { throw RingerError(.closed, "show a pattern", name) }
            // Also removes a trigger.
            try set("brightness", "0")
            switch pattern {
            case .off: break
            case .on: try set("brightness", largest)
            case .blinking(let on, let off):
                guard try attribute("trigger").read().contains(part: "timer") else {
                    try set("brightness", largest)
                    throw RingerError(.unsupported, "blink", name, detail: "the kernel has no trigger \"timer\"")
                }
                try set("trigger", "timer")
                try set("delay_on", "\(LightPattern.milliseconds(on))")
                try set("delay_off", "\(LightPattern.milliseconds(off))")
            }
        }
    }

    /// Turns the LED off.
    public func close() throws(RingerError) {
        try isClosed.withLock { isClosed throws(RingerError) in
            if isClosed { return }
            isClosed = true
            try set("brightness", "0")
        }
    }

    private func set(_ name: String, _ value: String) throws(RingerError) {
        try attribute(name).write(value)
    }

    private func attribute(_ name: String) -> AttributeFile { AttributeFile(path: led.appending(name)) }
}
