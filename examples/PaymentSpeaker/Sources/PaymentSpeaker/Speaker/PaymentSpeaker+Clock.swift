import PaymentRules
import Ringer

/// The wall clock, which boards do not have when they start.
extension PaymentSpeaker {
    /// Payments that the broker has kept may arrive now.
    func connectionBegan() {
        if !hasBeenConnected { clockDeadline = settings.clockPatience.map { device.clock.now + $0 } }
        hasBeenConnected = true
    }

    /// What the fleet watches.
    var health: Health {
        let waits = clockDeadline.map { device.clock.now < $0 } ?? false
        return Health(
            status: status, clock: settings.wallClock() != nil ? .set : waits ? .waiting : .unset, ledger: ledger.size)
    }

    /// The time since the start.
    var uptime: Duration { device.clock.now - start }

    /// The present time; while the clock is not set, the latest time that has passed for certain; nil if none is known.
    func latestTime() -> WallTime? {
        if let now = settings.wallClock() {
            setProblem("clock", nil)
            passed = (now, device.clock.now)
            return now
        }
        return passed.map { passed in
            let since = (device.clock.now - passed.at) / .microseconds(1)
            return WallTime(microseconds: passed.time.microseconds + Int64(since))
        }
    }

    /// Whether payments wait for the wall clock: after a night without power, only it can tell those that the broker has
    /// kept from new ones. Nothing reports when a time service sets it.
    func waitsForClock() -> Bool {
        guard let clockDeadline, settings.wallClock() == nil else { return false }
        setProblem(
            "clock",
            RingerError(
                .init(rawValue: "unset"), "judge the age of payments", "wall clock",
                detail:
                    "after a start they wait until a time service has set it, for \(settings.clockPatience ?? .zero)"))
        return device.clock.now < clockDeadline
    }

    /// The reason of what waited for the clock in vain.
    static let timeUnknown = "time unknown"

    /// Whether a payment has waited for a wall clock that is still not set: it may be of any age.
    func hasWaitedInVain(_ payment: Ledger.Payment) -> Bool {
        guard let clockDeadline, settings.wallClock() == nil, !payment.isRequested else { return false }
        guard let arrival = arrivals[payment.notice.transaction] else { return true }
        return arrival.at < clockDeadline
    }
}
