import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

@Suite(.serialized) struct SpeakerTests {
    @Test func aNoticeIsAnnouncedOnceAndItsDuplicateIsNot() async throws {
        try await Scene.run { scene in
            try scene.take(Scene.notice("a"))
            try scene.take(Scene.notice("a"))
            let duplicate = try await scene.report()
            #expect(duplicate.outcome == .duplicate && duplicate.transaction == "a")
            let announced = try await scene.report()
            #expect(announced.outcome == .announced && announced.firstFrame == 0 && !announced.isRepeated)
            try scene.take(Scene.notice("a"))
            let late = try await scene.report()
            #expect(late.outcome == .duplicate && late.recorded == "announced")
            #expect(scene.board.speaker.recordingCount == 1)
        }
    }

    @Test func aTransactionWithAnotherAmountIsRefused() async throws {
        try await Scene.run { scene in
            try scene.take(Scene.notice("a", "1.00"))
            try scene.take(Scene.notice("a", "100.00"))
            let refused = try await scene.report()
            #expect(refused.outcome == .refused && refused.transaction == "a")
        }
    }

    @Test(arguments: [
        "", "[]", "{}", "{\"transaction\":1}",
        "{\"transaction\":\"a\",\"amount\":12.5,\"currency\":\"CNY\",\"time\":\"2026-11-22T12:00:00Z\"}",
        "{\"transaction\":\"a\",\"amount\":\"12.5\",\"currency\":\"XXX\",\"time\":\"2026-11-22T12:00:00Z\"}",
        "{\"transaction\":\"a\",\"amount\":\"12.5\",\"currency\":\"JPY\",\"time\":\"2026-11-22T12:00:00Z\"}",
        "{\"transaction\":\"a\",\"amount\":\"12.5\",\"currency\":\"CNY\",\"time\":\"noon\"}",
        "{\"transaction\":\"a\",\"transaction\":\"b\",\"amount\":\"1\",\"currency\":\"CNY\",\"time\":\"2026-11-22T12:00:00Z\"}",
    ])
    func aNoticeThatCannotBeReadIsRefusedAndDoesNotTakeItsTransaction(payload: String) async throws {
        try await Scene.run { scene in
            try scene.take(Array(payload.utf8))
            #expect(try await scene.report().outcome == .refused)
            try scene.take(Scene.notice("a"))
            #expect(try await scene.report().outcome == .announced)
        }
    }

    @Test func announcementsFollowOneAnotherInTheOrderOfArrival() async throws {
        try await Scene.run { scene in
            for number in 0..<5 { try scene.take(Scene.notice("\(number)")) }
            var order: [String?] = []
            for _ in 0..<5 { order.append(try await scene.report().transaction) }
            #expect(order == ["0", "1", "2", "3", "4"])
            let recordings = scene.board.speaker.recordings
            for (one, next) in zip(recordings, recordings.dropFirst()) {
                #expect(try #require(one.end) <= #require(next.start))
            }
        }
    }

    @Test func announceIsHeardWhateverTheSwitchSays() async throws {
        try await Scene.run(policy: .announce, position: .silent) { scene in
            try scene.take(Scene.notice("a"))
            #expect(try await scene.report().outcome == .announced)
        }
    }

    @Test func whatTheSwitchSilencedIsAnnouncedOnRequestAtRingAndOnlyThen() async throws {
        try await Scene.run(policy: .obey, position: .silent) { scene in
            try scene.take(Scene.notice("a"))
            try scene.take(Scene.notice("b"))
            for _ in 0..<2 {
                let silenced = try await scene.report()
                #expect(silenced.outcome == .silenced && silenced.reason == "ringSilentSwitch")
            }
            #expect(scene.speaker.status.unheard == 2)
            #expect(scene.board.statusLight.pattern == .blinking(on: .milliseconds(500), off: .milliseconds(500)))
            // At silent it stays silent.
            scene.pressRepeat()
            await scene.settle()
            scene.board.ringSilent.position = .ring
            scene.clock.advance(by: .seconds(10))
            #expect(scene.board.speaker.recordings.allSatisfy { $0.played == 0 })
            scene.pressRepeat()
            for transaction in ["a", "b"] {
                let announced = try await scene.report()
                #expect(announced.transaction == transaction && announced.outcome == .announced)
                #expect(announced.isRequested && !announced.isRepeated)
            }
            #expect(scene.speaker.status.unheard == 0)
            #expect(scene.board.statusLight.pattern == .off)
        }
    }

    @Test func vibrateIsFeltAtSilent() async throws {
        try await Scene.run(policy: .vibrate, position: .silent) { scene in
            try scene.take(Scene.notice("a"))
            #expect(try await scene.report().outcome == .vibrated)
            #expect(scene.speaker.status.unheard == 1)
            #expect(scene.board.motor.turnCount > 0)
        }
    }

    @Test func whatWorksAgainIsNoProblem() async throws {
        try await Scene.run(policy: .vibrate, position: .silent) { scene in
            let error = RingerError(.disconnected, "test", "part")
            scene.board.motor.failTurnOn(with: error)
            scene.board.statusLight.fail(with: error)
            scene.board.ringSilent.becomeUnreadable()
            try scene.take(Scene.notice("a"))
            #expect(try await scene.report().outcome == .silenced)
            #expect(scene.speaker.status.problems.keys.sorted() == ["motor", "status light", "switch"])
            scene.board.motor.failTurnOn(with: nil)
            scene.board.statusLight.fail(with: nil)
            scene.board.ringSilent.becomeReadable()
            try scene.take(Scene.notice("b"))
            #expect(try await scene.report().outcome == .vibrated)
            #expect(scene.speaker.status.problems == [:])
        }
    }

    @Test func aSwitchThatIsMovedWhileTheSpeakerStartsHasItsNewPosition() async throws {
        try await Scene.run { scene in
            // The light is shown first when the speaker starts.
            scene.board.statusLight.fail(with: RingerError(.disconnected, "test", "light"))
            scene.speaker.reportProblem = { [board = scene.board] _ in board.ringSilent.position = .silent }
            await scene.settle()
            #expect(scene.speaker.status.position == .silent)
        }
    }

    @Test func anAnnouncementThatTheSwitchCutsOffCountsAsSilenced() async throws {
        try await Scene.run(policy: .obey) { scene in
            try scene.take(Scene.notice("a"))
            _ = scene.clock.schedule(at: scene.clock.now + .milliseconds(100)) { [board = scene.board] in
                board.ringSilent.position = .silent
            }
            #expect(try await scene.report().outcome == .silenced)
        }
    }

    @Test func theLastAnnouncementIsHeardOnceMoreOnRequest() async throws {
        try await Scene.run { scene in
            try scene.take(Scene.notice("a"))
            _ = try await scene.report()
            scene.pressRepeat()
            let again = try await scene.report()
            #expect(again.transaction == "a" && again.isRequested && again.outcome == .announced)
            #expect(scene.board.speaker.recordingCount == 2)
        }
    }

    @Test func theLastAnnouncementIsTheOneThatWasHeardLast() async throws {
        try await Scene.run(policy: .obey, position: .silent) { scene in
            try scene.take(Scene.notice("older"))
            #expect(try await scene.report().outcome == .silenced)
            scene.board.ringSilent.position = .ring
            try scene.take(Scene.notice("newer"))
            #expect(try await scene.report().outcome == .announced)
            for _ in 0..<2 {
                scene.pressRepeat()
                #expect(try await scene.report().transaction == "older")
            }
        }
    }

    @Test func aRepetitionThatFailsIsAProblemAndHasNoOutcome() async throws {
        try await Scene.run { scene in
            try scene.take(Scene.notice("a"))
            _ = try await scene.report()
            scene.board.speaker.fault = .missing
            scene.pressRepeat()
            try await scene.advance { scene.speaker.status.problems["sound"] != nil || scene.hasReport }
            #expect(!scene.hasReport)
            scene.board.speaker.fault = nil
            scene.pressRepeat()
            #expect(try await scene.report().outcome == .announced)
            #expect(scene.speaker.status.problems == [:])
        }
    }

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

    @Test func anAnnouncementIsTriedAgainUntilTheSpeakerWorks() async throws {
        try await Scene.run { scene in
            scene.board.speaker.fault = .missing
            try scene.take(Scene.notice("a"))
            _ = scene.clock.schedule(at: scene.clock.now + .seconds(20)) { [board = scene.board] in
                board.speaker.fault = nil
            }
            let announced = try await scene.report()
            #expect(announced.outcome == .announced && !announced.isRepeated)
            // 1 + 2 + 4 + 8 + 16 s after the beginning.
            #expect(announced.firstFrame == 31)
            #expect(scene.speaker.status.problems["sound"] == nil)
        }
    }

    @Test func anAnnouncementThatACrashCutsOffIsRepeatedOnceAndMarked() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/payments.sqlite"
        try await Scene.run(ledger: path) { scene in
            for transaction in ["a", "b"] { try scene.take(Scene.notice(transaction)) }
            #expect(try await scene.report().transaction == "a")
            // The process ends when the second one has begun.
            try await scene.advance { scene.board.speaker.playing.count == 1 }
        }
        try await Scene.run(ledger: path) { scene in
            let repeated = try await scene.report()
            #expect(repeated.transaction == "b" && repeated.isRepeated && repeated.outcome == .announced)
            try scene.take(Scene.notice("a"))
            #expect(try await scene.report().recorded == "announced")
            #expect(scene.board.speaker.recordingCount == 1)
        }
    }

    @Test func aLedgerThatCannotBeOpenedIsAnError() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: RingerError.self) { try Ledger(directory.path + "/missing/payments.sqlite") }
    }

    @Test func whileTheLedgerCannotBeWrittenNothingIsTakenAndNothingAnnounced() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/payments.sqlite"
        try await Scene.run(ledger: path) { scene in
            await scene.settle()
            try scene.take(Scene.notice("a"))
            let other = try Database(path)
            try other.run("ALTER TABLE payments RENAME TO others")
            #expect(throws: RingerError.self) { try scene.take(Scene.notice("b")) }
            try await scene.advance { scene.clock.now > Scene.start + .seconds(10) }
            #expect(scene.speaker.status.problems["ledger"] != nil)
            #expect(scene.speaker.status.received == 1)
            #expect(scene.board.speaker.recordingCount == 0)
            try other.run("ALTER TABLE others RENAME TO payments")
            #expect(try await scene.report().transaction == "a")
            #expect(scene.speaker.status.problems == [:])
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
