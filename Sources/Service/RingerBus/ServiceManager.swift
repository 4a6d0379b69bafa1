import CSDBus
import RingerCore

/// systemd, where it has started the process.
package enum ServiceManager {
    /// How often it expects a report at least, by the unit's `WatchdogSec=`; nil where it expects none. The corresponding C
    /// function is `sd_watchdog_enabled`.
    package static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// Reports that the process works. The corresponding C function is `sd_notify`.
    package static func reportAlive() throws(RingerError) {
        let result = sd_notify(0, "WATCHDOG=1")
        guard result >= 0 else { throw RingerError("report to", "the service manager", busResult: result) }
    }
}
