import Ringer
import RingerHardware

/// Reports for as long as the service's loop and the device's thread answer: where one of them hangs, no report follows.
package enum Watchdog {
    /// Begins to report, at half of the intervals in which reports are expected.
    ///
    /// - Parameters:
    ///   - device: The device, whose thread is asked before each report.
    ///   - loop: The service's loop, on whose thread `report` is called.
    ///   - clock: The clock of the intervals; the loop is one.
    ///   - interval: Within how much time each report is expected.
    package static func start(
        _ device: Device, loop: EventLoop, clock: any DeviceClock, interval: Duration,
        _ report: @escaping @Sendable () -> Void
    ) {
        _ = clock.schedule(at: clock.now + interval / 2) {
            device.sessions.core.perform {
                loop.execute {
                    report()
                    start(device, loop: loop, clock: clock, interval: interval, report)
                }
            }
        }
    }
}
