import Synchronization

/// The vibrations of system sounds: maps the number of a call to the vibration that the vibrator runs for it.
/// Used in the actions of the engine's state machine, one at a time.
final class SystemVibrations: Sendable {
    /// The failure of a vibration on a device without a motor.
    static let missingMotor = RingerError(
        .notFound, "vibrate", "vibration motor", detail: "the device has none")

    private let vibrator: Vibrator?
    private let running = Mutex<(number: UInt64, vibration: Vibrator.ID)?>(nil)

    init(_ vibrator: Vibrator?) {
        self.vibrator = vibrator
    }

    func start(_ number: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (VibrationEnd) -> Void) {
        guard let vibrator else { return completion(.failed(Self.missingMotor)) }
        let vibration = vibrator.begin(pattern, completion: completion)
        running.withLock { $0 = (number, vibration) }
    }

    func stop(_ number: UInt64) {
        let vibration = running.withLock { $0?.number == number ? $0?.vibration : nil }
        if let vibration { vibrator?.stop(vibration) }
    }
}
