import Foundation
import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct RecordingTests {
        /// The frames of each recording; no sum of them is the chime's length.
        static let frames = 2417

        /// A directory of recordings in Mandarin, all alike.
        static func recordings() throws -> TemporaryDirectory {
            let directory = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: directory.path + "/zh", withIntermediateDirectories: false)
            try FileManager.default.copyItem(
                atPath: LanguageTests.folder("zh") + "/rules", toPath: directory.path + "/zh/rules")
            for clip in try LanguageTests.language("zh").clips { try write(wave(rate: 24_000), clip.name, directory) }
            return directory
        }

        static func write(_ bytes: [UInt8], _ clip: String, _ directory: TemporaryDirectory) throws {
            try Data(bytes).write(to: URL(filePath: "\(directory.path)/zh/\(clip).wav"))
        }

        /// A WAV file of one channel.
        static func wave(rate: Int) -> [UInt8] {
            func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) } }
            let format =
                little(1, 2) + little(1, 2) + little(rate, 4) + little(rate * 2, 4) + little(2, 2) + little(16, 2)
            return Array("RIFF".utf8) + little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + format
                + Array("data".utf8) + little(2 * frames, 4) + [UInt8](repeating: 1, count: 2 * frames)
        }

        @Test func rulesThatSpeakTwoAmountsAlikeAreAProblemFromTheStart() async throws {
            let directory = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: directory.path + "/zh", withIntermediateDirectories: false)
            try Data(LanguageTests.small.replacing("1: 1 [ >> ]", with: "1: 1").utf8).write(
                to: URL(filePath: directory.path + "/zh/rules"))
            for clip in ["last-payment", "time-unknown", "received", "0", "1", "JPY"] {
                try Self.write(Self.wave(rate: 24_000), clip, directory)
            }
            try await Scene.run(clips: directory.path) { scene in
                try await scene.advance { scene.hasReport || scene.speaker.status.problems["language"] != nil }
                #expect(scene.speaker.status.problems["language"]?.contains("two amounts are spoken alike") == true)
                #expect(scene.speaker.status.problems.count == 1)
            }
        }

        /// What can be wrong with the recording of yen, whose header can be read.
        static let faults: [[UInt8]?] = [nil, wave(rate: 16_000), Array(wave(rate: 24_000).prefix(1000))]

        @Test(arguments: faults)
        func aPaymentThatCannotBeSpokenIsHeardAsTheChimeAndHoldsUpNoOther(recording: [UInt8]?) async throws {
            let directory = try Self.recordings()
            let path = "\(directory.path)/zh/JPY.wav"
            try FileManager.default.removeItem(atPath: path)
            if let recording { try Self.write(recording, "JPY", directory) }
            try await Scene.run(clips: directory.path, now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("yen", "5", "JPY"))
                for number in 0..<3 { try scene.take(Scene.notice("yuan\(number)", "5")) }
                let yen = try await scene.report()
                #expect(yen.transaction == "yen" && yen.outcome == .announced && yen.reason == "chime")
                for number in 0..<3 {
                    let yuan = try await scene.report()
                    #expect(yuan.transaction == "yuan\(number)" && yuan.outcome == .announced && yuan.reason == nil)
                }
                // 0.4 s of the chime, then "received five yuan".
                #expect(
                    scene.board.speaker.recordings.map(\.played) == [9600] + [Int](repeating: 3 * Self.frames, count: 3)
                )
                #expect(scene.clock.now < Scene.start + .seconds(2))
                // It is not mended by payments that do not need it.
                #expect(scene.speaker.status.problems["recordings"]?.contains("JPY.wav") == true)
                try Self.write(Self.wave(rate: 24_000), "JPY", directory)
                try scene.take(Scene.notice("more", "5", "JPY"))
                #expect(try await scene.report().reason == nil)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        @Test(arguments: faults)
        func aRecordingThatCannotBeJoinedIsFoundAtTheStart(recording: [UInt8]?) async throws {
            let directory = try Self.recordings()
            try FileManager.default.removeItem(atPath: "\(directory.path)/zh/JPY.wav")
            if let recording { try Self.write(recording, "JPY", directory) }
            try await Scene.run(clips: directory.path, now: Scene.sinceNoon) { scene in
                await scene.settle()
                #expect(scene.speaker.status.problems["recordings"]?.contains("JPY.wav") == true)
            }
        }

        @Test func aRecordedPaymentThatCannotBeReadHoldsUpNoOther() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path) { _ in }
            // Of a later version of the program, which knows more currencies.
            try Database(path).run(
                """
                INSERT INTO payments (transaction_id, minor_units, currency, paid_at, state)
                    VALUES ('new', 500, 'ZZZ', \(Scene.noon.microseconds), 'received')
                """)
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("yuan"))
                let won = try await scene.report()
                #expect(won.transaction == "new" && won.outcome == .stale && won.reason == "unreadable")
                #expect(try await scene.report().transaction == "yuan")
            }
        }
    }
}
