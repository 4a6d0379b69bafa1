import RingerLinux
import Testing

extension RealTime {
    /// Timers, while the kernel's clock is set.
    @Suite struct WallClockTests {
        private let wallClock = WallClock()

        @Test("a timer of the wall clock is called when the clock is set, forward or back, and when it is due")
        func timer() async throws {
            let loop = try EventLoop(name: "lab-wall")
            defer { loop.close() }
            let start: Int64 = 1_777_618_800
            try wallClock.set(to: start)
            for (date, clock) in [(3_600, 7_200), (10_000, 5_000), (1 << 40, 6_000), (6_001, nil)] as [(Int64, Int64?)]
            {
                let told = Probe<Duration>(loop)
                _ = loop.schedule(atWallTime: .seconds(start + date)) { told.tell(loop.wallTime) }
                if let clock { try wallClock.set(to: start + clock) }
                let time = try await told.next()
                #expect(time >= .seconds(start + (clock ?? date)))
            }
        }
    }
}
