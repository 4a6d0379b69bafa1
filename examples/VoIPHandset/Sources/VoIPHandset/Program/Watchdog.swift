import CSystemd
import Glibc
import Ringer
import Synchronization

/// Reports to systemd that the handset works, where its unit has `WatchdogSec=`: one that hangs is started anew.
///
/// At half of the intervals the device's thread asks the SIP endpoint's, whose answer is reported: where either hangs, no report
/// follows.
final class Watchdog: Sendable {
    private let clock: any DeviceClock
    private let pause: Duration
    private let report: @Sendable () -> Void
    private let endpoint = Mutex(Endpoint())

    /// In a structure: a mutex of a function alone would wrap it once more each time it is read.
    private struct Endpoint {
        var ask: @Sendable () -> Void = {}
    }

    /// - Parameters:
    ///   - interval: How often a report is expected at least.
    ///   - report: Reports to the service manager.
    init(_ clock: any DeviceClock, within interval: Duration, report: @escaping @Sendable () -> Void) {
        self.clock = clock
        pause = interval / 2
        self.report = report
    }

    /// Begins to ask the SIP endpoint's thread, which is to answer with ``TelephonyEvent/answered``.
    func start(_ ask: @escaping @Sendable () -> Void) {
        endpoint.withLock { $0.ask = ask }
        ask()
    }

    func take(_ event: TelephonyEvent) {
        guard case .answered = event else { return }
        report()
        _ = clock.schedule(at: clock.now + pause) { [self] in endpoint.withLock { $0 }.ask() }
    }

    /// How often systemd expects a report at least; nil where it expects none. The corresponding C function is
    /// `sd_watchdog_enabled`.
    static var interval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// Reports to systemd. The corresponding C function is `sd_notify`.
    static func report() throws(RingerError) {
        let result = sd_notify(0, "WATCHDOG=1")
        guard result < 0 else { return }
        throw RingerError(.system, "report to", "the service manager", detail: String(cString: strerror(-result)))
    }
}
