/// The vibration motor: on at a strength, and off.
///
/// On Linux evdev force feedback, a GPIO line or an LED with the `transient` trigger; in a test, one that records its
/// times. Patterns, and the longest on-time, are ``Vibrator``'s: a motor only turns and stops.
public protocol VibrationMotor: Sendable {
    /// What the motor is, for people: "force feedback /dev/input/event1 (gpio-vibrator)".
    var name: String { get }

    /// Turns the motor on.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1. A motor that cannot be throttled turns fully at any strength above 0.
    ///   - limit: The hardware itself stops the motor after this, where it can (force feedback, the `transient`
    ///     trigger), so that a process that hangs or dies leaves no motor turning.
    /// - Throws: ``RingerError``; the motor may or may not turn then, so the caller turns it off.
    func turnOn(strength: Float, limit: Duration) throws(RingerError)

    /// Turns the motor off, and makes sure of it where the hardware can be asked.
    ///
    /// - Throws: ``RingerError`` where it could not, or where the motor still turns. The code says what to do:
    ///
    ///   | code | state of the motor | the caller |
    ///   |---|---|---|
    ///   | `disconnected` | its device is gone, and the kernel stopped it (force feedback) | does nothing more |
    ///   | `unreachable` | its device is gone, and it may turn (a GPIO line, an LED) | tries again when ``onReturn(_:)`` says so |
    ///   | any other | it may turn; its bus may have failed for a moment | tries again soon |
    func turnOff() throws(RingerError)

    /// Has `handler` called whenever a device that ``turnOff()`` found unreachable may be back, on the device's thread and
    /// never from within a call of the motor. One handler at a time; the port need not call it after ``close()``.
    func onReturn(_ handler: @escaping @Sendable () -> Void)

    /// Turns the motor off and frees what the kernel holds for it. A second call does nothing, unless the first one could
    /// not turn the motor off: then it tries again.
    func close() throws(RingerError)
}

extension VibrationMotor {
    /// Never calls the handler: for motors that are never unreachable.
    public func onReturn(_ handler: @escaping @Sendable () -> Void) {}
}

extension RingerError.Code {
    /// The device disappeared and may still act: a motor on a GPIO line or an LED, which nobody can turn off until the
    /// device is back.
    public static let unreachable = RingerError.Code(rawValue: "unreachable")
}
