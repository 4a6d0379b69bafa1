/// The vibrations of system sounds: maps the number of a call to the vibration that the vibrator runs for it.
// SAFETY: used inside transitions of the core alone, which makes one at a time.
final class SystemVibrations: @unchecked Sendable {
    /// The failure of a vibration on a device without a motor.
    static let missingMotor = RingerError(
        .notFound, "vibrate", "vibration motor", detail: "the device has none")

    private let vibrator: Vibrator?
    private var running: (number: UInt64, vibration: Vibrator.ID)?

    init(_ vibrator: Vibrator?) {
        self.vibrator = vibrator
    }

    func start(_ number: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (VibrationEnd) -> Void) {
        guard let vibrator else { return completion(.failed(Self.missingMotor)) }
        running = (number, vibrator.begin(pattern, completion: completion))
    }

    func stop(_ number: UInt64) {
        if let running, running.number == number { vibrator?.stop(running.vibration) }
    }
}
