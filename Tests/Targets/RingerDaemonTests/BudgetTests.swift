import RingerDaemon
import Testing

/// The budget as a value: who may have how much of what.
@Suite struct BudgetTests {
    private let user = Budget.Payer(user: 1000, connection: ":1.1", permission: .play)

    private func payer(_ user: UInt32, _ connection: String = ":1.1", isController: Bool = false) -> Budget.Payer {
        Budget.Payer(user: user, connection: connection, permission: isController ? .control : .play)
    }

    private func refusal(_ body: () throws(Budget.Refusal) -> Void) -> Budget.Account? {
        do throws(Budget.Refusal) {
            try body()
            return nil
        } catch {
            return error.account
        }
    }

    @Test("a connection may have half of what its user may have, and its user all of that", arguments: [1, 2, 5, 64])
    func shares(limit: Int) throws {
        var budget = Budget(.init([.sessions: limit]))
        let half = max(1, limit / 2)
        for _ in 0..<half { try budget.take(1, of: .sessions, for: user) }
        let most = refusal { () throws(Budget.Refusal) in try budget.take(1, of: .sessions, for: user) }
        #expect(most == .connection(.sessions, 1000, ":1.1"))
        // What was refused was not taken, and what is another's or of another kind is not counted.
        try budget.take(1, of: .requests, for: user)
        try budget.take(1, of: .sessions, for: payer(1001))
        for number in half..<limit { try budget.take(1, of: .sessions, for: payer(1000, ":2.\(number)")) }
        #expect(
            refusal { () throws(Budget.Refusal) in try budget.take(1, of: .sessions, for: payer(1000, ":3")) }
                == .user(.sessions, 1000))
        budget.giveBack(1, of: .sessions, for: user)
        try budget.take(1, of: .sessions, for: payer(1000, ":3"))
    }

    @Test("a quarter of the whole is kept for controllers, and is theirs even if others were first")
    func reserve() throws {
        for controllersAreFirst in [false, true] {
            var budget = Budget(.init([.requests: 4]))
            func fill(_ users: Range<UInt32>, isController: Bool) -> (Int, Budget.Account?) {
                var count = 0
                for user in users {
                    for connection in ["a", "b"] {
                        let payer = payer(user, connection, isController: isController)
                        for _ in 0..<2 {
                            if let refusal = refusal({ () throws(Budget.Refusal) in
                                try budget.take(1, of: .requests, for: payer)
                            }) {
                                return (count, refusal)
                            }
                            count += 1
                        }
                    }
                }
                return (count, nil)
            }
            if controllersAreFirst { #expect(fill(0..<1, isController: true) == (4, nil)) }
            #expect(fill(1000..<1009, isController: false) == (12, .others(.requests)))
            if !controllersAreFirst { #expect(fill(0..<1, isController: true) == (4, nil)) }
            #expect(fill(1..<2, isController: true) == (0, .service(.requests)))
        }
    }

    @Test("an amount is taken whole or not at all, however large it is")
    func amounts() throws {
        var budget = Budget()
        try budget.take(32 << 20, of: .decoded, for: user)
        for amount in [1, Int.max] {
            #expect(
                refusal { () throws(Budget.Refusal) in try budget.take(amount, of: .decoded, for: user) }
                    == .connection(.decoded, 1000, ":1.1"))
        }
        try budget.take(0, of: .decoded, for: user)
        budget.giveBack(32 << 20, of: .decoded, for: user)
        #expect(budget.isUntouched)
    }

    @Test("whatever is taken and given back in whatever order, nothing is left of it in the end")
    func rounds() {
        var budget = Budget()
        var taken: [(Int, Budget.Resource, Budget.Payer)] = []
        for round in 0..<20_000 {
            let payer = payer(UInt32(round * 7 % 5), ":\(round * 11 % 13)", isController: round % 5 == 0)
            let (amount, resource) = (round * 31 % 17, Budget.Resource.allCases[round * 13 % 6])
            if (try? budget.take(amount, of: resource, for: payer)) != nil { taken.append((amount, resource, payer)) }
            if round % 3 != 0, !taken.isEmpty {
                let (amount, resource, payer) = taken.remove(at: round * 101 % taken.count)
                budget.giveBack(amount, of: resource, for: payer)
            }
        }
        #expect(!budget.isUntouched)
        for (amount, resource, payer) in taken { budget.giveBack(amount, of: resource, for: payer) }
        #expect(budget.isUntouched)
    }

    @Test("a refusal names the key, the limit and whose it is")
    func refusals() throws {
        let budget = Budget(.init([.decoded: 2 << 20]))
        #expect(throws: Budget.Refusal.self) { try budget.check(1 << 21, of: .decoded, for: user) }
        do throws(Budget.Refusal) {
            try budget.check(1 << 21, of: .decoded, for: user)
        } catch {
            #expect(
                "\(error)"
                    == "decoded-mib-per-user is used up: 1048576 bytes are the most for :1.1 of user 1000, half of what a user may have"
            )
        }
    }
}
