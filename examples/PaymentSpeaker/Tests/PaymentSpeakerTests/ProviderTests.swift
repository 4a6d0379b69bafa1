import CPaymentSpeaker
import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    /// Providers with topics of their own.
    @Suite struct ProviderTests {
        @Test func theSameTransactionOfTwoProvidersIsTwoPaymentsWhichDoNotOverlap() async throws {
            try await Scene.run(providers: ["bank", "wallet"]) { scene in
                try scene.take(Scene.notice("1"))
                try scene.take(Scene.notice("1", "3.00"), provider: "bank")
                try scene.take(Scene.notice("1", "4.00"), provider: "wallet")
                for provider in [nil, "bank", "wallet"] {
                    let report = try await scene.report()
                    #expect(report.transaction == "1" && report.provider == provider && report.outcome == .announced)
                }
                let recordings = scene.board.speaker.recordings
                #expect(recordings.count == 3)
                for (one, next) in zip(recordings, recordings.dropFirst()) {
                    #expect(try #require(one.end) <= #require(next.start))
                }
                // Each provider's own.
                try scene.take(Scene.notice("1", "3.00"), provider: "bank")
                let duplicate = try await scene.report()
                #expect(duplicate.outcome == .duplicate && duplicate.provider == "bank" && duplicate.transaction == "1")
                #expect(duplicate.text == "bank/1 3.00 CNY duplicate")
            }
        }

        @Test func aTransactionIsNotTakenForAnotherProviders() async throws {
            try await Scene.run(providers: ["bank"]) { scene in
                try scene.take(Scene.notice("bank/1"))
                var refused = try await scene.report()
                #expect(refused.outcome == .refused && refused.transaction == "bank/1" && refused.provider == nil)
                try scene.take(Scene.notice("1"), provider: "bank")
                #expect(try await scene.report().outcome == .announced)
                try scene.take(Array("{}".utf8), provider: "bank")
                refused = try await scene.report()
                #expect(refused.outcome == .refused && refused.transaction == nil && refused.provider == "bank")
            }
        }

        // A notice that one provider can read must not be announced a second time as another one's.
        @Test func aSignedNoticeCountsOnItsOwnTopicAlone() throws {
            let secret = [UInt8](repeating: 7, count: 32)
            var envelope = try Envelope("", path: "keys", device: "till")
            envelope.keys["shop"] = .hmac(secret)
            for (device, provider, isRight) in [
                ("till", nil, true), ("till/bank", "bank", true), ("till", "bank", false), ("till/bank", nil, false),
                ("till/bank", "wallet", false),
            ] as [(String, String?, Bool)] {
                let notice = Scene.notice("a", more: ",\"device\":\"\(device)\"")
                let message = Self.signed(notice, secret)
                let opened = try? Envelope.open(message, envelope, of: provider)
                #expect((opened != nil) == isRight, "\(device) on the topic of \(provider ?? "the speaker")")
            }
        }

        private static func signed(_ contents: [UInt8], _ secret: [UInt8]) -> [UInt8] {
            let header = Array(#"{"alg":"HS256","kid":"shop"}"#.utf8)
            let text = base64(header) + [UInt8(ascii: ".")] + base64(contents)
            var digest = [UInt8](repeating: 0, count: 32)
            var length: UInt32 = 0
            _ = HMAC(EVP_sha256(), secret, CInt(secret.count), text, text.count, &digest, &length)
            return text + [UInt8(ascii: ".")] + base64(digest)
        }

        private static func base64(_ bytes: [UInt8]) -> [UInt8] {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
            var (text, bits, count) = ([UInt8](), 0, 0)
            for byte in bytes {
                (bits, count) = (bits << 8 | Int(byte), count + 8)
                while count >= 6 {
                    count -= 6
                    text.append(alphabet[bits >> count & 63])
                }
                bits &= (1 << count) - 1
            }
            if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
            return text
        }
    }
}
