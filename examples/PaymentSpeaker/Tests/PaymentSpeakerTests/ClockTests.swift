import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    /// Boards start without a clock.
    @Suite struct ClockTests {
        @Test func aBacklogWaitsForTheClockAndIsStaleByIt() async throws {
            // A time service sets the clock 20 s after the start.
            let late: @Sendable (MonotonicTime) -> WallTime? = { now in
                now < Scene.start + .seconds(20) ? nil : Scene.sinceNoon(now)
            }
            try await Scene.run(now: late, clockPatience: .seconds(60)) { scene in
                // Of eight hours ago.
                for number in 0..<100 { try scene.take(Scene.notice("\(number)", time: "2026-11-22T04:00:00Z")) }
                try scene.take(Scene.notice("new"))
                try await scene.advance { scene.clock.now == Scene.start + .seconds(10) }
                #expect(!scene.hasReport)
                #expect(scene.speaker.status.problems["clock"]?.contains("wall clock") == true)
                for _ in 0..<100 {
                    let old = try await scene.report()
                    #expect(old.outcome == .stale && old.reason == "old")
                }
                #expect(scene.clock.now == Scene.start + .seconds(20))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        @Test func aClockThatIsNeverSetHoldsPaymentsOnlyAfterTheStartAndTheFirstConnection() async throws {
            try await Scene.run(now: { _ in nil }, clockPatience: .seconds(60)) { scene in
                try scene.take(Scene.notice("a"))
                try await scene.advance { scene.clock.now == Scene.start + .seconds(30) }
                scene.speaker.connectionBegan()
                let first = try await scene.report()
                #expect(first.outcome == .announced && first.firstFrame == 90 && first.reason == "time unknown")
                // A second connection holds nothing up.
                scene.speaker.connectionBegan()
                try scene.take(Scene.notice("b"))
                let second = try await scene.report()
                #expect(second.firstFrame == 0 && second.reason == nil)
            }
        }

        @Test func aPaymentOfATimeToComeIsRefused() async throws {
            try await Scene.run(now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("ahead", time: "2046-11-22T12:00:00Z"))
                let refused = try await scene.report()
                #expect(refused.transaction == "ahead" && refused.outcome == .refused)
                #expect(refused.reason == "the time of the payment is to come")
                // Its publisher's clock may be a little ahead.
                try scene.take(Scene.notice("soon", time: "2026-11-22T12:05:00Z"))
                #expect(try await scene.report().outcome == .announced)
                // The transaction is not taken.
                try scene.take(Scene.notice("ahead"))
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func aPaymentOfATimeToComeThatArrivedWithoutAClockIsNotAnnouncedByIt() async throws {
            let late: @Sendable (MonotonicTime) -> WallTime? = { now in
                now < Scene.start + .seconds(20) ? nil : Scene.sinceNoon(now)
            }
            try await Scene.run(now: late, clockPatience: .seconds(60)) { scene in
                try scene.take(Scene.notice("ahead", time: "2046-11-22T12:00:00Z"))
                let stale = try await scene.report()
                #expect(stale.outcome == .stale && stale.reason == "to come")
            }
        }

        @Test func whatWaitedForTheClockInVainSaysThatItsTimeIsUnknown() async throws {
            let directory = try RecordingTests.recordings()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path, clips: directory.path, now: { _ in nil }, clockPatience: .seconds(600)) {
                scene in
                try scene.take(Scene.notice("a", "5"))
                await scene.settle()
            }
            // The process has ended meanwhile: it is a backlog of the ledger.
            try await Scene.run(ledger: path, clips: directory.path, now: { _ in nil }, clockPatience: .seconds(600)) {
                scene in
                try scene.take(Scene.notice("b", "5"))
                for _ in 0..<2 { #expect(try await scene.report().reason == "time unknown") }
                #expect(scene.clock.now >= Scene.start + .seconds(600))
                try scene.take(Scene.notice("c", "5"))
                #expect(try await scene.report().reason == nil)
                let frames = RecordingTests.frames
                #expect(scene.board.speaker.recordings.map(\.played) == [4 * frames, 4 * frames, 3 * frames])
            }
        }

        @Test func whatWaitedForTheClockInVainIsDroppedByOption() async throws {
            try await Scene.run(now: { _ in nil }, clockPatience: .seconds(600), withoutClock: .drop) { scene in
                try scene.take(Scene.notice("a"))
                let dropped = try await scene.report()
                #expect(dropped.outcome == .stale && dropped.reason == "time unknown")
                try scene.take(Scene.notice("b"))
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func aRepetitionDoesNotWaitForTheClock() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path) { scene in
                try scene.take(Scene.notice("a"))
                _ = try await scene.report()
            }
            try await Scene.run(ledger: path, now: { _ in nil }, clockPatience: .seconds(60)) { scene in
                try scene.take(Scene.notice("b"))
                await scene.settle()
                scene.pressRepeat()
                #expect(try await scene.report().transaction == "a")
                #expect(scene.clock.now < Scene.start + .seconds(2))
                #expect(try await scene.report().transaction == "b")
            }
        }

        @Test func theNewestTimeOfTheLedgerHasPassed() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path) { scene in
                try scene.take(Scene.notice("noon"))
                // Its publisher's clock is wrong, and proves nothing.
                try scene.take(Scene.notice("ahead", time: "2026-11-22T12:05:00Z"))
                for _ in 0..<2 { _ = try await scene.report() }
            }
            try await Scene.run(ledger: path, now: { _ in nil }) { scene in
                await scene.settle()
                try scene.take(Scene.notice("old", time: "2026-11-22T11:54:59Z"))
                #expect(try await scene.report().reason == "old")
                try scene.take(Scene.notice("new"))
                #expect(try await scene.report().outcome == .announced)
                // Five minutes later that one is old as well.
                _ = scene.clock.schedule(at: Scene.start + .seconds(301)) {}
                try await scene.advance { scene.clock.now >= Scene.start + .seconds(301) }
                try scene.take(Scene.notice("late"))
                #expect(try await scene.report().reason == "old")
            }
        }
    }
}
