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
}
