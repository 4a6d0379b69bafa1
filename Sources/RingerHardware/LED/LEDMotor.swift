import RingerServices
import Synchronization
import SystemPackage

/// A vibration motor that the kernel shows as an LED: its `transient` trigger turns it off after its time.
///
/// Where the trigger is missing from the kernel, the brightness alone turns the motor, and nothing but this process
/// turns it off again; ``isStoppedByKernel`` tells. The corresponding kernel interface is the LED class, with
/// Documentation/leds/ledtrig-transient.
public final class LEDMotor: VibrationMotor {
    private struct State {
        var usesTrigger: Bool
        var mayTurn = false
        var isClosed = false
    }

    private let led: FilePath
    private let largest: Int
    private let state: Mutex<State>
    /// "LED vibrator".
    public let name: String

    /// The motor that is the LED `led`; it is turned off, whatever it did before.
    ///
    /// - Throws: ``RingerError`` where there is no such LED, or it is forbidden.
    public init(_ led: String = "vibrator", paths: HardwarePaths = .standard) throws(RingerError) {
        guard let component = FilePath.Component(led), component.kind == .regular else {
            throw RingerError(.invalid, "use as an LED's name", led)
        }
        name = "LED \(led)"
        self.led = paths.leds.appending(component)
        let text = try Self.attribute("max_brightness", self.led).read()
        guard let largest = Int(text), largest > 0 else {
            throw RingerError(.unsupported, "use as a motor", self.led.string, detail: "max_brightness is \"\(text)\"")
        }
        self.largest = largest
        state = Mutex(State(usesTrigger: false))
        let usesTrigger = try setTrigger()
        try state.withLock { state throws(RingerError) in
            state.usesTrigger = usesTrigger
            state.mayTurn = true
            try stop(&state)
        }
    }

    deinit {
        // Nobody is left to be told where it fails.
        try? close()
    }

    /// Whether the kernel turns the motor off after its limit, whatever becomes of this process.
    public var isStoppedByKernel: Bool { state.withLock { $0.usesTrigger } }

    /// Turns the motor on for `limit` at most.
    ///
    /// The trigger knows only full and off; a lesser strength follows it within the same moment.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1, scaled to `max_brightness`. 0, and what is no number, turns it off.
    ///   - limit: When the kernel turns the motor off, in milliseconds, rounded up. Nothing, or less, turns it off.
    /// - Throws: ``RingerError``.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        guard strength > 0, limit > .zero else { return try turnOff() }
        let brightness = max(1, Int((Float(largest) * min(strength, 1)).rounded()))
        // The kernel takes an `unsigned int`.
        let milliseconds = min((limit.nanoseconds - 1) / 1_000_000 + 1, Int64(Int32.max))
        try state.withLock { state throws(RingerError) in
            if state.isClosed { throw RingerError(.closed, "turn on", name) }
            state.mayTurn = true
            if try setTrigger() {
                state.usesTrigger = true
                // A time that runs is not begun anew otherwise.
                try attribute("activate").write("0")
                try attribute("duration").write("\(milliseconds)")
                try attribute("state").write("1")
                try attribute("activate").write("1")
                if brightness < largest { try attribute("brightness").write("\(brightness)") }
            } else {
                state.usesTrigger = false
                try attribute("brightness").write("\(brightness)")
            }
        }
    }

    /// Turns the motor off, and reads the brightness back.
    ///
    /// - Throws: ``RingerError`` where the brightness could not be made 0, or read. Each call tries again.
    public func turnOff() throws(RingerError) {
        try state.withLock { state throws(RingerError) in try stop(&state) }
    }

    /// Turns the motor off. The trigger stays with the LED.
    public func close() throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            if state.isClosed { return }
            state.isClosed = true
            try stop(&state)
        }
    }

    private func stop(_ state: inout State) throws(RingerError) {
        guard state.mayTurn else { return }
        if state.usesTrigger, (try? attribute("activate").write("0")) != nil, (try? isOff()) == true {
            state.mayTurn = false
            return
        }
        // Whatever holds the LED lets go of it: brightness 0 removes the trigger too, and the next start sets it again.
        try attribute("brightness").write("0")
        guard try isOff() else {
            throw RingerError(.system, "turn off", name, detail: "its brightness is not 0")
        }
        state.mayTurn = false
    }

    private func isOff() throws(RingerError) -> Bool { try attribute("brightness").read() == "0" }

    /// Gives the LED its trigger, unless it has it.
    ///
    /// - Returns: False where the kernel does not have that trigger.
    private func setTrigger() throws(RingerError) -> Bool {
        let trigger = attribute("trigger")
        guard trigger.exists else { return false }
        // "none [timer] transient": the one in brackets is set.
        let triggers = try trigger.read().split(separator: " ")
        if triggers.contains("[transient]") { return true }
        guard triggers.contains("transient") else { return false }
        try trigger.write("transient")
        return true
    }

    private func attribute(_ attribute: String) -> AttributeFile { Self.attribute(attribute, led) }

    private static func attribute(_ attribute: String, _ led: FilePath) -> AttributeFile {
        AttributeFile(path: led.appending(attribute))
    }
}
