import RingerTestKit
import Synchronization

@testable import RingerCore

/// A service that answers activations and deactivations after a time, in virtual time. It refuses the first activations.
final class SlowService: DeviceService {
    let preferences = UserPreferences()
    private let clock: VirtualClock
    private let delay: Duration
    private let refusals: Mutex<Int>
    private let record: @Sendable (String) -> Void

    init(
        _ clock: VirtualClock, _ delay: Duration, refusals: Int = 0,
        record: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.clock = clock
        self.delay = delay
        self.refusals = Mutex(refusals)
        self.record = record
    }

    func setPosition(_ position: SwitchPosition?, until: Int64?, completion: @escaping @Sendable (RingerError?) -> Void)
    {
        later { completion(nil) }
    }

    private func later(_ body: @escaping @Sendable () -> Void) {
        _ = clock.schedule(at: clock.now + delay, body)
    }

    func activate(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void) {
        record("activate")
        let isRefused = refusals.withLock { refusals in
            refusals -= 1
            return refusals >= 0
        }
        later { completion(isRefused ? SessionError(.notActive, "activate", session: session) : nil) }
    }

    func confirmActive(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void) {
        completion(nil)
    }

    func deactivate(_ session: SessionID, notifyOthers: Bool, completion: @escaping @Sendable () -> Void) {
        later(completion)
    }

    func setPreferences(_ preferences: UserPreferences, completion: @escaping @Sendable (RingerError?) -> Void) {}
    func setScreenLocked(_ isLocked: Bool) {}
    func follow(
        preferences: @escaping @Sendable (UserPreferences) -> Void,
        sessions: @escaping @Sendable (SessionID, SessionVerdict) -> Void,
        activity: @escaping @Sendable (SessionActivity) -> Void
    ) {}
    func update(_ session: SessionState) {}
    func remove(_ session: SessionID) {}
    func vibrate(
        _ vibration: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (SoundOutcome) -> Void
    ) {}
    func stopVibration(_ vibration: UInt64?) {}
    func measure(completion: @escaping @Sendable (MuteReading) -> Void) {}
}
