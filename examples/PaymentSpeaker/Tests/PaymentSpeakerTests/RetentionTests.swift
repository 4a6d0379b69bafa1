import PaymentRules
import Ringer
import RingerTestKit
import Testing

@testable import PaymentSpeaker

// Scenes run one after another.
extension SpeakerTests {
    @Suite struct RetentionTests {
        /// The microseconds of a day.
        static let day: Int64 = 86_400_000_000

        /// A ledger of 3,000 payments: the first of `oldest` days ago, the last of today, each tenth one unheard, and one
        /// of each thousand not announced yet.
        static func ledger(_ directory: TemporaryDirectory, oldest: Int64) throws -> String {
            let path = directory.path + "/payments.sqlite"
            _ = try Ledger(path)
            try Database(path).run(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2999)
                INSERT INTO payments (transaction_id, minor_units, currency, paid_at, received_at, state)
                    SELECT 'old' || n, 1250, 'CNY', 0, \(Scene.noon.microseconds) - (2999 - n) * \(oldest * day) / 2999,
                        CASE WHEN n % 1000 = 7 THEN 'received' WHEN n % 10 = 0 THEN 'silenced'
                            WHEN n % 10 = 1 THEN 'stale' ELSE 'announced' END
                    FROM numbers
                """)
            return path
        }

        static func count(_ path: String, _ condition: String = "true") throws -> Int64? {
            var count: Int64?
            try Database(path).prepare("SELECT count(*) FROM payments WHERE \(condition)").run { count = $0.integer(0) }
            return count
        }

        @Test func paymentsThatAreOverAreDeletedAfter400Days() throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory, oldest: 800)
            let ledger = try Ledger(path)
            #expect(try ledger.prune(Retention(), now: nil) == 0)
            while try ledger.prune(Retention(), now: Scene.noon) > 0 {}
            let old = "received_at < \(Scene.noon.microseconds - 400 * Self.day)"
            #expect(try Self.count(path, "\(old) AND state IN ('announced', 'stale')") == 0)
            // 300 were silenced, and three wait.
            #expect(try Self.count(path, "state IN ('silenced', 'received')") == 303)
            #expect(try Self.count(path, "NOT (\(old))") == 1500)
        }

        @Test func theOldestPaymentsMakeRoom() throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory, oldest: 10)
            let ledger = try Ledger(path)
            let retention = Retention(size: 200_000)
            while try ledger.prune(retention, now: nil) > 0 {}
            // It ends at the limit, not with an empty ledger.
            let left = try #require(try Self.count(path, "state IN ('announced', 'stale')"))
            #expect(left > 100 && left < 2000)
            #expect(try Self.count(path, "state IN ('silenced', 'received')") == 303)
            #expect(try Self.count(path, "transaction_id = 'old2999'") == 1)
            #expect(try Self.count(path, "transaction_id = 'old2'") == 0)
        }

        @Test func theLedgerStaysSmallWhilePaymentsCome() async throws {
            let directory = try TemporaryDirectory()
            let path = try Self.ledger(directory, oldest: 10)
            try await Scene.run(ledger: path, now: Scene.sinceNoon, retention: Retention(size: 200_000)) { scene in
                // Stale ones have no sound.
                for number in 0..<600 {
                    try scene.take(Scene.notice("\(number)", time: "2026-11-22T11:59:58Z"), expiry: 1)
                    if number == 0 { scene.clock.advance(by: .seconds(2)) }
                }
                try await scene.advance { scene.speaker.status.queue == 0 }
            }
            #expect(try #require(try Self.count(path)) < 2000)
        }
    }
}
