import CPaymentSpeaker
import Glibc
import Ringer

/// Reports to systemd that the speaker works, where its unit has `WatchdogSec=`: a speaker that hangs is started anew.
@PaymentActor
enum Watchdog {
    /// How often systemd expects a report at least; nil where it expects none. The corresponding C function is
    /// `sd_watchdog_enabled`.
    static var interval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// Reports until the task is cancelled or the device is closed, at half of the intervals.
    ///
    /// The device's thread ends each pause, and the loop that takes and announces payments goes on after it: where either
    /// hangs, no report follows.
    static func run(_ device: Device, within interval: Duration, _ report: @PaymentActor () -> Void) async throws {
        while true {
            report()
            try await device.sleep(for: interval / 2)
        }
    }

    /// Reports to systemd. The corresponding C function is `sd_notify`.
    static func report() throws(RingerError) {
        let result = sd_notify(0, "WATCHDOG=1")
        guard result < 0 else { return }
        throw RingerError(.system, "report to", "the service manager", detail: String(cString: strerror(-result)))
    }
}
