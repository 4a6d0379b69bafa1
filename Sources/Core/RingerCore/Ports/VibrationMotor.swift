/// The vibration motor: on at a strength, and off.
///
/// On Linux evdev force feedback, a GPIO line or an LED with the `transient` trigger; in a test, one that records its
/// times. A motor only turns and stops: ``Vibrator`` runs patterns and enforces the longest on-time.
public protocol VibrationMotor: Sendable {
    /// The motor's name, for people: "force feedback /dev/input/event1 (gpio-vibrator)".
    var name: String { get }

    /// Turns the motor on.
    ///
    /// - Parameters:
    ///   - strength: 0 to 1. A motor without speed control turns at full strength for any value above 0.
    ///   - limit: If the hardware supports it (force feedback, the `transient` trigger), it stops the motor after this
    ///     time, even if the process hangs or dies.
    /// - Throws: ``RingerError``; the motor may or may not be turning then, so the caller turns it off.
    func turnOn(strength: Float, limit: Duration) throws(RingerError)

    /// Turns the motor off, and checks that it is off if the hardware can be asked.
    ///
    /// - Throws: ``RingerError`` if the motor could not be turned off or is still turning. Its code says what to do:
    ///
    ///   | code | state of the motor | the caller |
    ///   |---|---|---|
    ///   | `disconnected` | its device is gone, and the kernel stopped it (force feedback) | does nothing more |
    ///   | `unreachable` | its device is gone, and it may turn (a GPIO line, an LED) | tries again when ``onReturn(_:)`` says so |
    ///   | any other | it may turn; its bus may have failed for a moment | tries again soon |
    func turnOff() throws(RingerError)

    /// Sets the function that is called whenever a device that ``turnOff()`` found unreachable may be back. It is
    /// called on the device's thread, never from within a call of the motor. There is one handler at a time; it need
    /// not be called after ``close()``. A motor of your own keeps it in a structure; ``SoundOutput`` says why.
    func onReturn(_ handler: @escaping @Sendable () -> Void)

    /// Turns the motor off and frees its kernel resources. A second call does nothing if the motor is off; otherwise it
    /// tries again.
    func close() throws(RingerError)
}

extension VibrationMotor {
    /// Never calls the handler: for motors that are never unreachable.
    public func onReturn(_ handler: @escaping @Sendable () -> Void) {}
}

/// How a motor shall turn.
package struct MotorLevel: Sendable, Hashable {
    /// Above 0, up to 1.
    package var strength: Float
    /// When the hardware stops the motor, if it can, and if nothing turned the motor off before.
    package var until: MonotonicTime
}

/// A motor that need not have answered when its call returns. It has one question at a time.
package protocol AnsweringMotor: VibrationMotor {
    /// Turns the motor on at `level`, or off for nil, and calls `answer` once, within the call or later: with the error, or
    /// nil for success.
    func turn(to level: MotorLevel?, answer: @escaping @Sendable (RingerError?) -> Void)
}

/// A motor whose driver may block: it is driven on a thread of its own.
package protocol BlockingMotor: VibrationMotor {
    /// Calls `body` on that thread, after what was given to it before.
    func execute(_ body: @escaping @Sendable () -> Void)

    /// Whether closing it does not call the driver: it never turned, and has no thread yet.
    var closesAtOnce: Bool { get }
}

extension BlockingMotor {
    package var closesAtOnce: Bool { false }
}

extension VibrationMotor {
    /// Turns the motor on at `level`, or off for nil. Returns why it failed; nil if it did not.
    package func turn(to level: MotorLevel?, _ now: MonotonicTime) -> RingerError? {
        do throws(RingerError) {
            if let level {
                try turnOn(strength: level.strength, limit: level.until - now)
            } else {
                try turnOff()
            }
            return nil
        } catch {
            return error
        }
    }
}

extension RingerError.Code {
    /// The device disappeared and may still be active: a motor on a GPIO line or an LED, which cannot be turned off
    /// until the device is back.
    public static let unreachable = RingerError.Code(rawValue: "unreachable")
}
