import Foundation
import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct LedgerTests {
        enum Damage: CaseIterable {
            case header, page, truncation, text

            /// Damages a database file of 4096-byte pages.
            func damage(_ path: String) throws {
                let url = URL(filePath: path)
                var bytes = try Data(contentsOf: url)
                let noise = Data(repeating: 0xA5, count: 4096)
                switch self {
                case .header: bytes.replaceSubrange(0..<100, with: noise[..<100])
                // One in the middle of the table; the last page is the table's or an index's.
                case .page: bytes.replaceSubrange(5 * 4096..<6 * 4096, with: noise)
                case .truncation: bytes = bytes.prefix(bytes.count / 2 / 4096 * 4096)
                case .text: bytes = Data("Not a database, although it is long enough to be one.\n".utf8)
                }
                let file = try FileHandle(forWritingTo: url)
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: bytes)
                try file.close()
            }
        }

        /// A ledger of 1,000 payments, the last of them pending.
        static func ledger(_ directory: TemporaryDirectory) throws -> String {
            let path = directory.path + "/payments.sqlite"
            _ = try Ledger(path)
            try Database(path).run(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 999)
                INSERT INTO payments (transaction_id, minor_units, currency, paid_at, state)
                    SELECT 'old' || n, 1250, 'CNY', \(Scene.noon.microseconds), iif(n = 999, 'received', 'announced')
                    FROM numbers
                """)
            return path
        }

        @Test(arguments: Damage.allCases)
        func aDamagedLedgerIsSetAsideAndTheNextPaymentIsAnnounced(damage: Damage) async throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory)
            try damage.damage(path)
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("new"))
                var report = try await scene.report()
                // What could be read is taken over: what was pending is announced, what was announced is known.
                if damage == .page {
                    #expect(report.transaction == "old999" && report.outcome == .announced)
                    report = try await scene.report()
                    for known in ["old0", "old998"] {
                        try scene.take(Scene.notice(known))
                        #expect(try await scene.report().outcome == .duplicate)
                    }
                }
                #expect(report.transaction == "new" && report.outcome == .announced)
                #expect(scene.speaker.status.problems.keys.sorted() == ["ledger file"])
                #expect(scene.speaker.status.problems["ledger file"]?.contains("payments.sqlite.damaged") == true)
                #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
            }
            #expect(Ledger.fault(of: path) == nil)
        }

        @Test func aLedgerThatIsDamagedWhileItIsUsedIsReplaced() async throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory)
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                #expect(try await scene.report().transaction == "old999")
                // In the middle of an announcement.
                try scene.take(Scene.notice("playing"))
                try await scene.advance { scene.board.speaker.playing.count == 1 }
                let file = try FileHandle(forUpdating: URL(filePath: path))
                let end = try file.seekToEnd()
                try file.seek(toOffset: 4096)
                try file.write(contentsOf: Data(repeating: 0xA5, count: Int(end) - 4096))
                try file.close()
                try scene.take(Scene.notice("old3"))
                var outcomes: [String?: Report.Outcome] = [:]
                for _ in 0..<2 {
                    let report = try await scene.report()
                    outcomes[report.transaction] = report.outcome
                }
                #expect(outcomes == ["playing": .announced, "old3": .announced])
                #expect(scene.speaker.status.problems["ledger file"] != nil)
                // None is finished twice.
                try scene.take(Scene.notice("playing"))
                #expect(try await scene.report().recorded == "announced")
            }
        }

        @Test func aLedgerThatWasReplacedDuringItsCheckIsNotReplacedAgain() throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory)
            try Damage.text.damage(path)
            let file = LedgerFile(path)
            var faults: [String?] = []
            file.onReplacement = { faults.append($0.detail) }
            let beforeCheck = file.replacements
            let fault = try #require(Ledger.fault(of: path))
            // Meanwhile a payment finds the damage.
            let notice = try Envelope.open(Scene.notice("a"), nil)
            _ = try file.use { ledger throws(RingerError) in
                try ledger.record(notice, receivedAt: nil, expires: nil, staleBecause: nil)
            }
            file.replace(because: fault, checkedAfter: beforeCheck)
            #expect(try file.use { ledger throws(RingerError) in try ledger.pending() } != nil)
            #expect(faults.count == 1)
            #expect(try String(contentsOfFile: path + ".damaged", encoding: .utf8).hasPrefix("Not a database"))
        }

        @Test(arguments: ["6FFF", "6F0064"])
        func aPaymentWhoseNameIsDamagedIsNotAnnouncedForEver(name: String) async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            _ = try Ledger(path)
            try Database(path).run(
                """
                INSERT INTO payments (transaction_id, minor_units, currency, paid_at, state)
                    VALUES (CAST(X'\(name)' AS TEXT), 500, 'CNY', \(Scene.noon.microseconds), 'received')
                """)
            try await Scene.run(ledger: path, now: Scene.sinceNoon) { scene in
                try scene.take(Scene.notice("new"))
                #expect(try await scene.report().reason == "unreadable")
                #expect(try await scene.report().transaction == "new")
            }
        }

        /// A command that was obeyed, and a row whose type the table does not allow: noise in a page that can be read.
        @Test func aDamagedRowIsNotTakenOverAndTheRestIs() throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory)
            try Database(path).run(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'payments';
                PRAGMA writable_schema = RESET
                """)
            try Database(path).run("UPDATE payments SET received_at = 'noise' WHERE transaction_id = 'old7'")
            let file = LedgerFile(path)
            let envelope = try CommandTests.envelope()
            let (object, signer) = try envelope.open(CommandTests.shop.command("1", CommandTests.repeatCommand))
            let command = try Command(object, signer: signer, envelope)
            let obey = {
                try file.use { ledger throws(RingerError) in
                    try ledger.obey(command) { () throws(RingerError) in try ledger.set("policy", to: "obey") }
                }
            }
            #expect(try obey())
            file.replace(because: RingerError(.damaged, "check the ledger", path), checkedAfter: 0)
            // It is a replay in the new ledger as well.
            #expect(try !obey())
            #expect(try file.use { ledger throws(RingerError) in try ledger.setting("policy") } == "obey")
            var known: [Int64?] = []
            try Database(path).prepare("SELECT count(*) FROM payments").run { known.append($0.integer(0)) }
            #expect(known == [999])
        }

        @Test func aNewLedgerThatCouldNotBeBegunAtOnceIsNoEmptyOne() throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            let file = LedgerFile(path)
            var replacements = 0
            file.onReplacement = { _ in replacements += 1 }
            // SQLite cannot open it.
            let journal = path + "-journal"
            try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
            #expect(throws: RingerError.self) {
                try file.use { ledger throws(RingerError) in try ledger.countSilenced() }
            }
            #expect(FileManager.default.fileExists(atPath: path))
            try FileManager.default.removeItem(atPath: journal)
            #expect(try file.use { ledger throws(RingerError) in try ledger.countSilenced() } == 0)
            #expect(replacements == 0)
        }

        @Test func aLedgerBehindASymbolicLinkIsReplacedWhereItIs() throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory)
            let link = directory.path + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            let file = LedgerFile(link)
            file.replace(because: RingerError(.damaged, "check the ledger", path), checkedAfter: 0)
            #expect(try file.use { ledger throws(RingerError) in try ledger.pending() } != nil)
            #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        }

        @Test func anEmptyLedgerIsReported() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try Data().write(to: URL(filePath: path))
            try await Scene.run(ledger: path) { scene in
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.problems["ledger file"]?.contains("empty") == true)
            }
        }

        @Test func aLedgerThatCannotBeOpenedIsAProblemUntilItCan() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/missing/payments.sqlite"
            try await Scene.run(ledger: path) { scene in
                try await scene.advance { scene.speaker.status.problems["ledger"] != nil }
                #expect(throws: RingerError.self) { try scene.take(Scene.notice("a")) }
                try FileManager.default.createDirectory(
                    atPath: directory.path + "/missing", withIntermediateDirectories: false)
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        /// A later program's ledger was used as if it were of this one.
        @Test(arguments: [1, 3]) func aLedgerOfAnotherVersionIsRefused(_ version: Int) async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            _ = try Ledger(path)
            try Database(path).run("PRAGMA user_version = \(version)")
            try await Scene.run(ledger: path) { scene in
                try await scene.advance { scene.speaker.status.problems["ledger"] != nil }
                #expect(scene.speaker.status.problems["ledger"]?.contains("it is of version \(version)") == true)
                #expect(throws: RingerError.self) { try scene.take(Scene.notice("a")) }
            }
        }

        /// Two processes on one ledger announced a payment twice. A lock belongs to the open file: to an owner, as to a process.
        @Test func aSecondSpeakerDoesNotUseTheLedgerOfAnother() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            var first: LedgerFile? = LedgerFile(path)
            _ = try first?.use { ledger throws(RingerError) in try ledger.countSilenced() }
            try await Scene.run(ledger: path) { scene in
                try await scene.advance { scene.speaker.status.problems["ledger"] != nil }
                #expect(scene.speaker.status.problems["ledger"]?.contains("another process uses it") == true)
                #expect(throws: RingerError.self) { try scene.take(Scene.notice("a")) }
                first = nil
                try scene.take(Scene.notice("a"))
                #expect(try await scene.report().outcome == .announced)
                #expect(scene.speaker.status.problems == [:])
            }
        }

        @Test func theLogOfTheLedgerStaysSmall() async throws {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/payments.sqlite"
            try await Scene.run(ledger: path) { scene in
                var largest = 0
                for number in 0..<50 {
                    try scene.take(Scene.notice("\(number)"))
                    _ = try await scene.report()
                    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
                    largest = max(largest, try #require(size))
                }
                #expect(largest < 200_000)
            }
        }
    }
}
