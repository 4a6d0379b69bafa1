import RingerCore

/// Reports for as long as the service's loops and the device's thread answer: where one of them hangs, no report follows.
package enum Watchdog {
    /// Begins to report, at half of the intervals in which reports are expected.
    ///
    /// - Parameters:
    ///   - device: The device, whose thread is asked before each report.
    ///   - loop: The service's loop, on whose thread `report` is called.
    ///   - pcmLoop: The loop of the ALSA plug-in's streams, which is asked too; nil if there is none.
    ///   - clock: The clock of the intervals; the loop is one.
    ///   - interval: Within how much time each report is expected.
    package static func start(
        _ device: Device, loop: EventLoop, pcmLoop: EventLoop?, clock: any DeviceClock, interval: Duration,
        _ report: @escaping @Sendable () -> Void
    ) {
        _ = clock.schedule(at: clock.now + interval / 2) {
            device.sessions.core.perform {
                (pcmLoop ?? loop).execute {
                    loop.execute {
                        report()
                        start(device, loop: loop, pcmLoop: pcmLoop, clock: clock, interval: interval, report)
                    }
                }
            }
        }
    }
}
