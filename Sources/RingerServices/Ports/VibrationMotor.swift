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
    /// - Throws: ``RingerError`` where it could not, or where the motor still turns: try again.
    func turnOff() throws(RingerError)

    /// Turns the motor off and frees what the kernel holds for it. A second call does nothing.
    func close() throws(RingerError)
}
