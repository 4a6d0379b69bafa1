import RingerPolicy
import SessionRules
import Testing

@Suite("Who plays beside whom")
struct SessionArbitrationTests {
    /// Rows: the active session. Columns: the newly activated one, of the same priority.
    ///
    /// `=` both play. `I` the active one is interrupted. `d` the active one goes down. `D` the new one is down.
    /// `s` the active one is not heard while the new one records. `S` the new one is not heard for the same reason.
    static let samePriority = """
                    ambi solo medi medi+mix medi+duck reca plar plar+mix plar+duck proc multi multi+mix
        ambi        =    =    =    =        d         s    =    =        d         s    =     =
        solo        =    I    I    =        d         I    I    =        d         I    I     =
        medi        =    I    I    =        d         I    I    =        d         I    I     =
        medi+mix    =    =    =    =        d         s    =    =        d         s    =     =
        medi+duck   D    D    D    D        d         s    D    D        d         s    D     D
        reca        S    I    I    S        S         I    I    S        S         I    I     S
        plar        =    I    I    =        d         I    I    =        d         I    I     =
        plar+mix    =    =    =    =        d         s    =    =        d         s    =     =
        plar+duck   D    D    D    D        d         s    D    D        d         s    D     D
        proc        S    I    I    S        S         I    I    S        S         I    I     S
        multi       =    I    I    =        d         I    I    =        d         I    I     =
        multi+mix   =    =    =    =        d         s    =    =        d         s    =     =
        """

    /// The same if the new one has a higher priority. `R`: the new one is refused.
    static let newMattersMore = """
                    ambi solo medi medi+mix medi+duck reca plar plar+mix plar+duck proc
        ambi        =    I    I    =        d         I    I    =        d         I
        solo        =    I    I    =        d         I    I    =        d         I
        medi+mix    =    I    I    =        d         I    I    =        d         I
        medi+duck   =    I    I    =        d         I    I    =        d         I
        reca        I    I    I    I        I         I    I    I        I         I
        plar        =    I    I    =        d         I    I    =        d         I
        """

    /// The same if the active one has a higher priority.
    static let activeMattersMore = """
                    ambi solo medi medi+mix medi+duck reca plar plar+mix plar+duck proc
        ambi        =    =    =    =        =         R    =    =        =         R
        solo        R    R    R    R        R         R    R    R        R         R
        medi+mix    =    =    =    =        =         R    =    =        =         R
        medi+duck   D    D    D    D        D         R    D    D        D         R
        reca        R    R    R    R        R         R    R    R        R         R
        plar        R    R    R    R        R         R    R    R        R         R
        """

    static func outcome(_ letter: Substring) -> SessionArbitration.Outcome? {
        switch letter {
        case "=": .bothPlay
        case "I": .activeInterrupted
        case "d": .activeDucked
        case "D": .newDucked
        case "s": .activeSilenced
        case "S": .newSilenced
        case "R": .refused
        default: nil
        }
    }

    @Test(
        "each pair of categories and options ends as its table says",
        arguments: [
            (samePriority, SessionArbitration.Relation.same, 144), (newMattersMore, .higher, 60),
            (activeMattersMore, .lower, 60),
        ])
    func tables(table: String, relation: SessionArbitration.Relation, cells: Int) throws {
        let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
        let columns = try lines[0].map { try SessionProfile(String($0)) }
        var checked = 0
        for line in lines.dropFirst() {
            let active = try SessionProfile(String(line[0]))
            for (new, letter) in zip(columns, line.dropFirst()) {
                let pair = try SessionPair(active: active.settings, new: new.settings, relation: relation)
                #expect(pair.outcome == Self.outcome(letter), "\(active), then \(new)")
                checked += 1
            }
        }
        #expect(checked == cells)
    }

    /// The rules in words, apart from the tables: an oracle for every pair.
    private func expected(
        _ active: SessionSettings, _ new: SessionSettings, _ relation: SessionArbitration.Relation
    ) -> SessionArbitration.Outcome {
        func mixes(_ settings: SessionSettings) -> Bool {
            settings.category == .ambient || settings.options.mixes
        }
        func ducks(_ settings: SessionSettings) -> Bool { settings.options.contains(.duckOthers) }
        let activeRecordsAlone = !active.category.plays
        let newRecordsAlone = !new.category.plays
        switch relation {
        case .lower:
            if !mixes(active) || newRecordsAlone { return .refused }
            return ducks(active) ? .newDucked : .bothPlay
        case .higher:
            if !mixes(new) || activeRecordsAlone { return .activeInterrupted }
        case .same:
            if !mixes(active) && !mixes(new) { return .activeInterrupted }
        }
        if active.isSpoken && active.category.plays && new.options.rawValue & 16 != 0 { return .activeInterrupted }
        if newRecordsAlone { return .activeSilenced }
        if activeRecordsAlone { return .newSilenced }
        if ducks(new) { return .activeDucked }
        return ducks(active) && relation == .same ? .newDucked : .bothPlay
    }

    @Test("every category with every set of options, spoken or not, ends as the rules in words say")
    func everyPair() throws {
        let profiles = try SessionProfile.all()
        #expect(profiles.count == 41)
        var wrong: [String] = []
        for active in profiles {
            for new in profiles {
                for relation in SessionArbitration.Relation.allCases {
                    for isSpoken in [false, true] {
                        var first = active.settings
                        first.isSpoken = isSpoken
                        let pair = try SessionPair(active: first, new: new.settings, relation: relation)
                        let outcome = expected(first, new.settings, relation)
                        let told = SessionArbitration.outcome(active: first, new: new.settings, relation: relation)
                        guard pair.outcome != outcome || told != outcome else { continue }
                        wrong.append(
                            "\(active) spoken \(isSpoken), then \(new) \(relation): \(String(describing: pair.outcome))"
                        )
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test("who the table says is heard, is heard by the rules")
    func heard() throws {
        for active in try SessionProfile.all() {
            for new in try SessionProfile.all() {
                let pair = try SessionPair(active: active.settings, new: new.settings)
                let outcome = try #require(pair.outcome)
                let activeIsHeard =
                    active.settings.category.plays && outcome != .activeInterrupted && outcome != .activeSilenced
                let newIsHeard = new.settings.category.plays && outcome != .newSilenced && outcome != .refused
                #expect(pair.isHeard(SessionPair.first) == activeIsHeard, "\(active), then \(new)")
                #expect(pair.isHeard(SessionPair.second) == newIsHeard, "\(active), then \(new)")
            }
        }
    }

    @Test("being refused beside an active session is being interrupted by it, seen from the other side")
    func symmetry() {
        for one in SessionMixing.allCases {
            for other in SessionMixing.allCases {
                let refused = SessionArbitration.outcome(active: other, new: one, relation: .lower) == .refused
                let interrupted =
                    SessionArbitration.outcome(active: one, new: other, relation: .higher) == .activeInterrupted
                #expect(refused == interrupted, "\(one) beside \(other)")
            }
        }
    }

    @Test("of one priority, whatever does not mix is interrupted by whatever does not mix")
    func oneAtATime() {
        for one in SessionMixing.allCases where !one.mixes {
            for other in SessionMixing.allCases where !other.mixes {
                #expect(SessionArbitration.outcome(active: one, new: other) == .activeInterrupted)
            }
        }
    }
}
