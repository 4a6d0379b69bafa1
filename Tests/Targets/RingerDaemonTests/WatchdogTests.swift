import RingerCore
import RingerDaemon
import RingerTestKit
import Testing

/// What a service manager that watches over the service gets of it.
@Suite struct WatchdogTests {
    // The loop of the ALSA plug-in's streams was not asked: programs on it were silent for good, and nothing was started anew.
    @Test("it reports at half of the intervals, as long as the device's thread and both loops of the service answer")
    func hangingThreads() async throws {
        let clock = VirtualClock()
        let (loop, deviceLoop) = (try EventLoop(name: "service"), try EventLoop(name: "device"))
        let pcmLoop = try EventLoop(name: "pcm")
        let device = try Device.simulated(SimulatedBoard(clock: deviceLoop))
        defer {
            device.close()
            deviceLoop.close()
            pcmLoop.close()
            loop.close()
        }
        let (reports, report) = AsyncStream<MonotonicTime>.makeStream()
        Watchdog.start(device, loop: loop, pcmLoop: pcmLoop, clock: clock, interval: .seconds(60)) {
            report.yield(clock.now)
        }
        var next = reports.makeAsyncIterator()
        let start = clock.now
        for number in 1...3 {
            clock.advance(by: .seconds(30))
            #expect(await next.next() == start + .seconds(30 * number))
            // The next timer is set after a report.
            loop.sync {}
        }
        for hanging in [deviceLoop, pcmLoop, loop] {
            let gate = Latch()
            hanging.execute { gate.wait() }
            clock.advance(by: .seconds(30))
            let asked = clock.now
            // The others run, and report nothing by themselves.
            for other in [deviceLoop, pcmLoop, loop] where other !== hanging { other.sync {} }
            clock.advance(by: .seconds(600))
            gate.open()
            #expect(await next.next() == asked + .seconds(600))
            loop.sync {}
        }
    }
}
