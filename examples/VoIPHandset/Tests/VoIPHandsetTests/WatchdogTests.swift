import Ringer
import RingerTestKit
import Synchronization
import Testing

@testable import VoIPHandset

@Suite("Handset: the watchdog")
struct WatchdogTests {
    private final class Counts: Sendable {
        let questions = Mutex(0)
        let reports = Mutex(0)
    }

    @Test(
        "Each answer is reported, and the next question is asked at half of the interval; without an answer nothing follows"
    )
    func reports() {
        let clock = VirtualClock()
        let counts = Counts()
        let watchdog = Watchdog(clock, within: .seconds(120)) { counts.reports.withLock { $0 += 1 } }
        watchdog.start { counts.questions.withLock { $0 += 1 } }
        for count in 1...5 {
            #expect(counts.questions.withLock { $0 } == count)
            watchdog.take(.answered)
            #expect(counts.reports.withLock { $0 } == count)
            clock.advance(by: .seconds(59))
            #expect(counts.questions.withLock { $0 } == count)
            clock.advance(by: .seconds(1))
        }
        // The SIP endpoint's thread hangs.
        clock.advance(by: .seconds(600))
        #expect(
            counts.questions.withLock { $0 } == 6 && counts.reports.withLock { $0 } == 5 && clock.pendingTimers == 0)
    }
}
