import Synchronization

/// Which vibration of the motor belongs to which call.
final class SystemVibrations: Sendable {
    private let vibrator: Vibrator?
    private let running = Mutex<(number: UInt64, vibration: Vibrator.ID)?>(nil)

    init(_ vibrator: Vibrator?) {
        self.vibrator = vibrator
    }

    func start(_ number: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (VibrationEnd) -> Void) {
        guard let vibrator else {
            completion(
                .failed(RingerError(.notFound, "vibrate", "vibration motor", detail: "the device has none")))
            return
        }
        let vibration = vibrator.begin(pattern, completion: completion)
        running.withLock { $0 = (number, vibration) }
    }

    func stop(_ number: UInt64) {
        let vibration = running.withLock { $0?.number == number ? $0?.vibration : nil }
        if let vibration { vibrator?.stop(vibration) }
    }
}
