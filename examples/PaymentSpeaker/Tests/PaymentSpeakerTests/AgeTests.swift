import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    /// What is too old to be announced.
    @Suite struct AgeTests {
        @Test func aNoticeThatBecomesOldDuringACallIsNotAnnounced() async throws {
            try await Scene.run(now: Scene.sinceNoon) { scene in
                let call = scene.device.sessions.interruptionBegan()
                try scene.take(Scene.notice("a"))
                let old = try await scene.report()
                #expect(old.outcome == .stale && old.reason == "old")
                #expect(scene.clock.now == Scene.start + .seconds(300))
                scene.device.sessions.interruptionEnded(call)
                await scene.settle()
                #expect(scene.board.speaker.recordingCount == 0)
            }
        }

        @Test func aRecordedExpiryAppliesDuringACallAfterARestart() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                _ = scene.device.sessions.interruptionBegan()
                try scene.take(Scene.notice("a"), expiry: 60)
                await scene.settle()
            }
            // The process ended at noon, and begins there again.
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                _ = scene.device.sessions.interruptionBegan()
                let expired = try await scene.report()
                #expect(expired.outcome == .stale && expired.reason == "expired")
                #expect(scene.clock.now == Scene.start + .seconds(60))
            }
        }

        @Test func aStepOfTheWallClockDoesNotExpireWhatArrivedInThisProcess() async throws {
            // Two minutes at the first second.
            let stepped: @Sendable (MonotonicTime) -> WallTime = { now in
                let time = Scene.sinceNoon(now)
                return now == Scene.start ? time : WallTime(microseconds: time.microseconds + 120_000_000)
            }
            try await Scene.run(now: stepped) { scene in
                scene.board.speaker.fault = .missing
                try scene.take(Scene.notice("a"), expiry: 60)
                try await scene.advance { scene.speaker.status.problems["sound"] != nil }
                scene.board.speaker.fault = nil
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func aStaleNoticeIsRecordedAndNotAnnounced() async throws {
            try await Scene.run { scene in
                try scene.take(Scene.notice("old", time: "2026-11-22T11:54:59Z"))
                let old = try await scene.report()
                #expect(old.outcome == .stale && old.reason == "old")
                try scene.take(Scene.notice("retained"), isRetained: true)
                #expect(try await scene.report().reason == "retained")
                try scene.take(Scene.notice("expired"), expiry: 0)
                #expect(try await scene.report().reason == "expired")
                try scene.take(Scene.notice("old", time: "2026-11-22T11:54:59Z"))
                #expect(try await scene.report().recorded == "stale")
                #expect(scene.board.speaker.recordingCount == 0)
            }
        }

        @Test func ageIsNotJudgedWhileTheClockIsNotSet() async throws {
            try await Scene.run(now: { _ in nil }) { scene in
                try scene.take(Scene.notice("a", time: "1999-01-01T00:00:00Z"))
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func aNoticeThatExpiresWhileItWaitsIsNotAnnounced() async throws {
            try await Scene.run(now: { _ in nil }) { scene in
                for number in 0..<4 { try scene.take(Scene.notice("\(number)"), expiry: number < 3 ? nil : 1) }
                for _ in 0..<3 { #expect(try await scene.report().outcome == .announced) }
                // Three chimes take 1.2 s.
                let last = try await scene.report()
                #expect(last.outcome == .stale && last.reason == "expired")
            }
        }

        @Test func aStaleNoticeIsNotAnnouncedOnceTheLedgerCanBeWritten() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("a"))
                let other = try Database(path)
                // Only changes fail.
                try other.run(
                    "CREATE TRIGGER full BEFORE UPDATE ON payments BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
                try await scene.advance { scene.clock.now > Scene.start + .seconds(300) }
                try other.run("DROP TRIGGER full")
                let old = try await scene.report()
                #expect(old.outcome == .stale && old.reason == "old")
                #expect(scene.board.speaker.recordingCount == 0)
            }
        }
    }
}
