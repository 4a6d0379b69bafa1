import Glibc
import RingerCore
import Synchronization
import SystemPackage

/// A vibration motor that the kernel shows as an LED; the `transient` trigger turns it off after its time.
///
/// If the kernel lacks the trigger, the brightness alone turns the motor, and only this process turns it off: see
/// ``isStoppedByKernel``. An LED that disappears may keep driving the motor: the motor waits for its return, which the
/// kernel reports. Any thread may use it. The corresponding kernel interface is the LED class, with
/// Documentation/leds/ledtrig-transient.
public final class LEDMotor: VibrationMotor {
    private struct State {
        var mayTurn = false
        var isClosed = false
    }

    private let led: FilePath
    private let largest: Int
    /// Serialises the hardware itself, across its system calls: nothing that a flip or a caller waits for takes it.
    private let state = Mutex(State())
    private let process = OwningProcess()
    private let usesTrigger = Atomic(false)
    private let comeBack: MotorReturn
    /// "LED vibrator".
    public let name: String

    /// Uses the LED `led` as a motor, and turns it off.
    ///
    /// - Parameters:
    ///   - led: The LED's name in the LED class.
    ///   - loop: The thread on which the return of a lost LED is watched for.
    ///   - paths: Where the kernel shows its devices.
    /// - Throws: ``RingerError`` if there is no such LED, or it is forbidden.
    public convenience init(
        _ led: String = "vibrator", loop: EventLoop, paths: HardwarePaths = .standard
    ) throws(RingerError) {
        try self.init(led, paths: paths) { handler throws(RingerError) in
            let watch = ChangeWatch(try UeventSocket(subsystem: "leds"), loop: loop, handler)
            return { watch.closeSoon() }
        }
    }

    /// Uses the LED `led` as a motor, with `watch` for its return.
    init(_ led: String, paths: HardwarePaths, watch: @escaping MotorReturn.Watch) throws(RingerError) {
        name = "LED \(led)"
        self.led = try paths.led(led)
        let text = try Self.attribute("max_brightness", self.led).read()
        // The kernel's own type is `unsigned int`; half of its range is exact in every calculation here.
        guard let largest = Int(text), largest > 0, largest <= Int32.max else {
            throw RingerError(.unsupported, "use as a motor", self.led.string, detail: "max_brightness is \"\(text)\"")
        }
        self.largest = largest
        comeBack = MotorReturn(watch)
        usesTrigger.store(try setTrigger(), ordering: .relaxed)
        try state.withLock { state throws(RingerError) in
            state.mayTurn = true
            try stop(&state)
        }
    }

    deinit {
        // The motor is its parent's where this is a child. A deinitialiser cannot throw, and has no caller to report to.
        if process.isCurrent { try? close() }
    }

    /// Whether the kernel turns the motor off after its limit, even if this process hangs or dies.
    public var isStoppedByKernel: Bool { usesTrigger.load(ordering: .relaxed) }

    /// Turns the motor on.
    ///
    /// The trigger supports only full strength and off; a lower strength is set right after it.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1, scaled to `max_brightness`. 0 or NaN turns the motor off.
    ///   - limit: After this time the kernel turns the motor off, in milliseconds, rounded up. Zero or less turns the
    ///     motor off.
    /// - Throws: ``RingerError``.
    public func turnOn(strength: Float, limit: Duration) throws(RingerError) {
        guard strength > 0, limit > .zero else { return try turnOff() }
        let brightness = max(1, Int((Double(largest) * Double(min(strength, 1))).rounded()))
        // The kernel takes an `unsigned int`.
        let milliseconds = min((limit.nanoseconds - 1) / 1_000_000 + 1, Int64(Int32.max))
        try state.withLock { state throws(RingerError) in
            if state.isClosed { throw RingerError(.closed, "turn on", name) }
            state.mayTurn = true
            if try setTrigger() {
                usesTrigger.store(true, ordering: .relaxed)
                // A running time is not restarted otherwise.
                try attribute("activate").write("0")
                try attribute("duration").write("\(milliseconds)")
                try attribute("state").write("1")
                try attribute("activate").write("1")
                if brightness < largest { try attribute("brightness").write("\(brightness)") }
            } else {
                usesTrigger.store(false, ordering: .relaxed)
                try attribute("brightness").write("\(brightness)")
            }
        }
    }

    /// Turns the motor off, and reads the brightness back.
    ///
    /// - Throws: ``RingerError`` if the brightness could not be set to 0, or read; each call tries again. The code is
    ///   `unreachable` if the LED disappeared while the motor may be turning.
    public func turnOff() throws(RingerError) {
        try state.withLock { state throws(RingerError) in try stop(&state) }
    }

    /// Calls `handler` on the loop's thread whenever an LED that disappeared may be back.
    public func onReturn(_ handler: @escaping @Sendable () -> Void) {
        comeBack.setHandler(handler)
    }

    /// Turns the motor off. The LED keeps its trigger. After a failed call, another one tries again.
    public func close() throws(RingerError) {
        try state.withLock { state throws(RingerError) in
            state.isClosed = true
            defer { comeBack.end() }
            try stop(&state)
        }
    }

    private func stop(_ state: inout State) throws(RingerError) {
        guard state.mayTurn else { return }
        do throws(RingerError) {
            try darken(&state)
        } catch {
            guard isGone else { throw error }
            // Watch before looking again: the LED may come back in between.
            try comeBack.wait()
            do throws(RingerError) {
                try darken(&state)
            } catch {
                guard isGone else { throw error }
                throw RingerError(
                    .unreachable, "turn off", name, errno: error.errno,
                    detail: "it may still drive the motor; it is turned off when the LED is back")
            }
        }
        comeBack.end()
    }

    private func darken(_ state: inout State) throws(RingerError) {
        if usesTrigger.load(ordering: .relaxed), isTriggerIdle, (try? isOff()) == true {
            state.mayTurn = false
            return
        }
        // Brightness 0 also removes the trigger, or whatever else drives the LED; the next start sets the trigger
        // again.
        try attribute("brightness").write("0")
        guard try isOff() else {
            throw RingerError(.system, "turn off", name, detail: "its brightness is not 0")
        }
        state.mayTurn = false
    }

    /// Ends the trigger's time, or finds that none runs. The attributes of a trigger that was just set are root's until
    /// udev has handled it: a dark motor must not lose the trigger for that.
    private var isTriggerIdle: Bool {
        let activate = attribute("activate")
        return (try? activate.write("0")) != nil || (try? activate.read()) == "0"
    }

    /// Whether the LED is missing; one that exists and fails is different.
    private var isGone: Bool { access(led.string, F_OK) != 0 && Errno.current == .noSuchFileOrDirectory }

    private func isOff() throws(RingerError) -> Bool { try attribute("brightness").read() == "0" }

    /// Sets the LED's trigger, unless it is set.
    ///
    /// - Returns: False if the kernel does not have the trigger.
    private func setTrigger() throws(RingerError) -> Bool {
        let trigger = attribute("trigger")
        guard trigger.exists else { return false }
        // "none [timer] transient": the active one is in brackets.
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
