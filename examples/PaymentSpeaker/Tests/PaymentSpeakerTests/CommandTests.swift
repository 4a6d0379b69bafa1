import CPaymentSpeaker
import Foundation
import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct CommandTests {
        /// A pair of keys of Ed25519, and what is signed by it.
        struct Signer {
            let name: String
            private let seed: [UInt8]

            init(_ name: String, _ seed: UInt8) {
                (self.name, self.seed) = (name, [UInt8](repeating: seed, count: 32))
            }

            var publicKey: String {
                let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, 32)
                defer { EVP_PKEY_free(pair) }
                var (bytes, length) = ([UInt8](repeating: 0, count: 32), 32)
                EVP_PKEY_get_raw_public_key(pair, &bytes, &length)
                return Self.base64URL(bytes)
            }

            static func base64URL(_ bytes: [UInt8]) -> String {
                Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "")
            }

            func sign(_ contents: String) -> [UInt8] {
                let header = Self.base64URL(Array(#"{"alg":"EdDSA","kid":"\#(name)"}"#.utf8))
                let text = "\(header).\(Self.base64URL(Array(contents.utf8)))"
                let pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, 32)
                let context = EVP_MD_CTX_new()
                defer {
                    EVP_MD_CTX_free(context)
                    EVP_PKEY_free(pair)
                }
                var (signature, length) = ([UInt8](repeating: 0, count: 64), 64)
                EVP_DigestSignInit(context, nil, nil, nil, pair)
                EVP_DigestSign(context, &signature, &length, Array(text.utf8), text.utf8.count)
                return Array("\(text).\(Self.base64URL(signature))".utf8)
            }

            /// A signed command; `age` seconds before noon.
            func command(_ jti: String, _ members: String, age: Int = 0) -> [UInt8] {
                let issued = Scene.noon.microseconds / 1_000_000 - Int64(age)
                return sign(#"{\#(members),"device":"a","jti":"\#(jti)","iat":\#(issued)}"#)
            }
        }

        static let shop = Signer("shop", 1)
        static let next = Signer("next", 2)
        static let repeatCommand = #""command":"repeat""#

        static func envelope(_ more: String = "") throws -> Envelope {
            try Envelope("shop EdDSA \(shop.publicKey)\n\(more)", path: "keys", device: "a")
        }

        static func key(_ signer: Signer) -> String {
            #""command":"key","name":"\#(signer.name)","key":"\#(signer.publicKey)""#
        }

        static func notice(_ transaction: String) -> String {
            String(decoding: Scene.notice(transaction, more: #","device":"a""#), as: UTF8.self)
        }

        @Test func aSignedRepeatIsObeyedOnceAlsoAfterARestart() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            let command = Self.shop.command("1", Self.repeatCommand)
            try await Scene.run(ledger: path, envelope: Self.envelope()) { scene in
                try scene.take(Self.shop.sign(Self.notice("a")))
                _ = try await scene.report()
                try scene.speaker.takeCommand(command)
                let obeyed = try await scene.report()
                #expect(obeyed.outcome == .obeyed && obeyed.command == "repeat" && obeyed.identifier == "1")
                #expect(try await scene.report().isRequested)
            }
            try await Scene.run(ledger: path, envelope: Self.envelope()) { scene in
                try scene.speaker.takeCommand(command)
                let replay = try await scene.report()
                #expect(replay.outcome == .refused && replay.reason == "the command is a replay")
                #expect(replay.identifier == "1")
                await scene.settle()
                #expect(scene.board.speaker.recordingCount == 0)
                #expect(scene.speaker.status.refused == 1)
            }
        }

        @Test(arguments: [
            (-301, "the command's time is to come"), (-300, nil), (300, nil), (301, "the command is old"),
        ])
        func aCommandIsObeyedWithinFiveMinutes(age: Int, reason: String?) async throws {
            try await Scene.run(envelope: Self.envelope()) { scene in
                try scene.speaker.takeCommand(Self.shop.command("1", Self.repeatCommand, age: age))
                #expect(try await scene.report().reason == reason)
            }
        }

        @Test func aCommandIsNotObeyedWithoutAClock() async throws {
            try await Scene.run(envelope: Self.envelope(), now: { _ in nil }) { scene in
                try scene.speaker.takeCommand(Self.shop.command("1", Self.repeatCommand))
                #expect(try await scene.report().reason == "the clock is not set")
            }
        }

        /// What was obeyed is forgotten after a while; a clock that is set back then does not make it new.
        @Test func aReplayIsRefusedThoughTheClockIsSetBack() async throws {
            let noon = Self.shop.command("1", Self.repeatCommand)
            let setBack: @Sendable (MonotonicTime) -> WallTime? = { now in
                let seconds = now < Scene.start + .seconds(1) || now > Scene.start + .seconds(3) ? 0 : 3600
                return WallTime(microseconds: Scene.noon.microseconds + Int64(seconds) * 1_000_000)
            }
            try await Scene.run(envelope: Self.envelope(), now: setBack) { scene in
                try scene.speaker.takeCommand(noon)
                #expect(try await scene.report().outcome == .obeyed)
                scene.clock.advance(by: .seconds(2))
                try scene.speaker.takeCommand(Self.shop.command("2", Self.repeatCommand, age: -3600))
                #expect(try await scene.report().outcome == .obeyed)
                scene.clock.advance(by: .seconds(2))
                try scene.speaker.takeCommand(noon)
                #expect(try await scene.report().reason == "the command is a replay")
            }
        }

        @Test func thePolicyIsSetAndKept() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            let command = Self.shop.command("1", #""command":"policy","policy":"obey""#)
            try await Scene.run(position: .silent, ledger: path, envelope: Self.envelope()) { scene in
                try scene.take(Self.shop.sign(Self.notice("a")))
                #expect(try await scene.report().outcome == .announced)
                try scene.speaker.takeCommand(command)
                #expect(try await scene.report().outcome == .obeyed)
                #expect(scene.speaker.status.policy == .obey)
                try scene.take(Self.shop.sign(Self.notice("b")))
                #expect(try await scene.report().outcome == .silenced)
            }
            try await Scene.run(position: .silent, ledger: path, envelope: Self.envelope()) { scene in
                try scene.take(Self.shop.sign(Self.notice("c")))
                #expect(try await scene.report().outcome == .silenced)
                #expect(scene.speaker.status.policy == .obey)
                // What was silenced stays so.
                try scene.speaker.takeCommand(Self.shop.command("2", Self.repeatCommand))
                #expect(try await scene.report().reason == "ringSilentSwitch")
            }
        }

        @Test func theVolumeIsTheMixers() async throws {
            try await Scene.run(envelope: Self.envelope()) { scene in
                scene.board.surroundings.set(.outputVolume(1))
                try scene.speaker.takeCommand(Self.shop.command("1", #""command":"volume","volume":0.25"#))
                #expect(try await scene.report().outcome == .obeyed)
                await scene.settle()
                #expect(scene.speaker.status.volume == 0.25)
                scene.board.surroundings.set(.outputVolume(nil))
                try scene.speaker.takeCommand(Self.shop.command("2", #""command":"volume","volume":0.5"#))
                let refused = try await scene.report()
                #expect(refused.outcome == .refused && refused.reason?.contains("volume") == true)
            }
        }

        @Test func aKeyIsReplacedByTheOneThatItHasSigned() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path, envelope: Self.envelope()) { scene in
                try scene.speaker.takeCommand(Self.shop.command("1", Self.key(Self.next)))
                let obeyed = try await scene.report()
                #expect(obeyed.outcome == .obeyed && obeyed.command == "key")
                try scene.take(Self.shop.sign(Self.notice("a")))
                #expect(try await scene.report().reason == "the key is unknown")
                try scene.take(Self.next.sign(Self.notice("a")))
                #expect(try await scene.report().outcome == .announced)
            }
            // The file has the old one.
            try await Scene.run(ledger: path, envelope: Self.envelope()) { scene in
                try scene.take(Self.shop.sign(Self.notice("b")))
                #expect(try await scene.report().reason == "the key is unknown")
                try scene.take(Self.next.sign(Self.notice("b")))
                #expect(try await scene.report().outcome == .announced)
            }
            // Its owner has written another one of that name.
            let other = try Envelope("shop EdDSA \(Signer("shop", 3).publicKey)", path: "keys", device: "a")
            try await Scene.run(ledger: path, envelope: other) { scene in
                try scene.take(Signer("shop", 3).sign(Self.notice("c")))
                #expect(try await scene.report().outcome == .announced)
            }
        }

        @Test(arguments: [
            (#""command":"volume","volume":1.5"#, "volume is not a number from 0 to 1"),
            (#""command":"volume","volume":"1""#, "volume is not a number from 0 to 1"),
            (#""command":"policy","policy":"loud""#, "policy is none of announce, obey, vibrate"),
            (#""command":"reboot""#, "the command is unknown"), (#""transaction":"a""#, "the command is unknown"),
            (#""command":"key","name":"new","key":"c2hvcnQ""#, "key is not a public key of Ed25519 in base64url"),
            (#""command":"key","name":"bank","key":"\#(next.publicKey)""#, "another key has that name"),
        ])
        func aCommandThatCannotBeObeyedIsRefused(members: String, reason: String) async throws {
            try await Scene.run(envelope: Self.envelope("bank EdDSA \(Signer("bank", 4).publicKey)")) { scene in
                try scene.speaker.takeCommand(Self.shop.command("1", members))
                let refused = try await scene.report()
                #expect(refused.outcome == .refused && refused.reason == reason && refused.identifier == "1")
            }
        }

        @Test(arguments: [
            #"{"command":"repeat","device":"b","jti":"1","iat":1795348800}"#,
            #"{"command":"repeat","device":"a","iat":1795348800}"#, #"{"command":"repeat","device":"a","jti":"1"}"#,
            #"{"command":"repeat","device":"a","jti":"1","iat":1e300}"#,
        ])
        func aCommandForAnotherOrWithoutNameOrTimeIsRefused(contents: String) async throws {
            try await Scene.run(envelope: Self.envelope()) { scene in
                try scene.speaker.takeCommand(Self.shop.sign(contents))
                #expect(try await scene.report().outcome == .refused)
            }
        }
    }
}
