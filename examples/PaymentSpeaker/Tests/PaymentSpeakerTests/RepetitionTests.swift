import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct RepetitionTests {
        /// "Received five yuan", and the same after "last payment".
        static let once = 3 * RecordingTests.frames
        static let again = 4 * RecordingTests.frames

        static func envelope() throws -> Envelope {
            try Envelope("shop HS256 c2VjcmV0LW9mLTMyLWJ5dGVzLW9yLW1vcmUtLi4uLi4", path: "keys", device: "a")
        }

        @Test func aRepetitionOnRequestSaysThatItIsOne() async throws {
            let directory = try RecordingTests.recordings()
            try await Scene.run(clips: directory.path) { scene in
                try scene.take(Scene.notice("a", "5"))
                _ = try await scene.report()
                scene.pressRepeat()
                _ = try await scene.report()
                try scene.speaker.takeCommand(Array("repeat".utf8))
                _ = try await scene.report()
                #expect(scene.board.speaker.recordings.map(\.played) == [Self.once, Self.again, Self.again])
            }
        }

        @Test func aRepetitionAfterACrashSaysThatItIsOne() async throws {
            let directory = try RecordingTests.recordings()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path, clips: directory.path) { scene in
                try scene.take(Scene.notice("a", "5"))
                try await scene.advance { scene.board.speaker.playing.count == 1 }
            }
            try await Scene.run(ledger: path, clips: directory.path) { scene in
                let report = try await scene.report()
                #expect(report.isRepeated)
                #expect(scene.board.speaker.recordings.map(\.played) == [Self.again])
            }
        }

        @Test func whatNobodyHasHeardIsNoRepetition() async throws {
            let directory = try RecordingTests.recordings()
            try await Scene.run(policy: .obey, position: .silent, clips: directory.path) { scene in
                try scene.take(Scene.notice("a", "5"))
                #expect(try await scene.report().outcome == .silenced)
                scene.board.ringSilent.position = .ring
                scene.pressRepeat()
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.board.speaker.recordings.last?.played == Self.once)
            }
        }

        @Test func aRepetitionWithoutRecordingsIsAnotherChime() async throws {
            try await Scene.run { scene in
                try scene.take(Scene.notice("a"))
                _ = try await scene.report()
                scene.pressRepeat()
                _ = try await scene.report()
                let chimes = scene.board.speaker.recordings.map(\.sound)
                let end = Array(chimes[1].samples.suffix(chimes[0].samples.count))
                #expect(end == chimes[0].samples)
                #expect(chimes[1].frames > chimes[0].frames)
            }
        }

        @Test func whereNoticesAreSignedOnlyTheKeyRepeatsUnsigned() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path) { scene in
                try scene.take(Scene.notice("a"))
                _ = try await scene.report()
            }
            try await Scene.run(ledger: path, envelope: try Self.envelope()) { scene in
                for unsigned in ["repeat", #"{"command":"repeat","device":"a","time":"2026-11-22T12:00:00Z"}"#, ""] {
                    try scene.speaker.takeCommand(Array(unsigned.utf8))
                    let refused = try await scene.report()
                    #expect(refused.outcome == .refused && refused.reason == "the message is not signed")
                }
                #expect(scene.speaker.status.refused == 3)
                await scene.settle()
                #expect(scene.board.speaker.recordingCount == 0)
                scene.pressRepeat()
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test func anUnknownCommandIsRefused() async throws {
            try await Scene.run { scene in
                try scene.speaker.takeCommand(Array("repeat\n".utf8))
                #expect(try await scene.report().outcome == .refused)
            }
        }
    }
}
