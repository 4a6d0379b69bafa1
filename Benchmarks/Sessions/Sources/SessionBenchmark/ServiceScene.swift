import RingerCore
import SessionProperties
import SessionRules
import RingerTestKit

/// Changes that are repeated for the whole service.
struct ServiceScene {
    typealias Change = (Service) -> Void

    private let service: Service
    /// Each with a name; those of one name make one row.
    private let changes: [(name: String, change: Change)]

    init(_ service: Service, _ changes: [(String, Change)]) {
        self.service = service
        self.changes = changes
    }

    static var heading: String {
        let columns = ["n", "cpu50", "cpu99", "cpumax", "ret50", "ret99", "last50", "last99", "lastmax", "told"]
        return Stopwatch.padded("the whole service, in microseconds", 40)
            + columns.map { Stopwatch.padded($0, -8) }.joined()
    }

    /// Measures each change, and prints a row for each name.
    ///
    /// - Returns: Whether half of all took no more than a millisecond of processor time, and on the clock until the last
    ///   listener was called; other programs lengthen the rest.
    func measure(rounds: Int) -> Bool {
        for (_, change) in changes { _ = service.measure(change) }
        var costs: [String: [Service.Cost]] = [:]
        var count = 0
        while count < rounds {
            for (name, change) in changes { costs[name, default: []].append(service.measure(change)) }
            count += changes.count
        }
        var isGood = true
        for name in costs.keys.sorted() { isGood = Self.show(name, costs[name] ?? []) && isGood }
        return isGood
    }

    private static func show(_ name: String, _ costs: [Service.Cost]) -> Bool {
        func column(_ cost: KeyPath<Service.Cost, Int64>, _ shares: Double...) -> [Int64] {
            let all = costs.map { $0[keyPath: cost] }
            return shares.map { Stopwatch.percentile($0, all) }
        }
        let processor = column(\.processor, 0.5, 0.99, 1)
        let last = column(\.lastTold, 0.5, 0.99, 1)
        let told = Int64(costs.map(\.told).reduce(0, +) / costs.count)
        let row = [Int64(costs.count)] + processor + column(\.returned, 0.5, 0.99) + last + [told]
        print(Stopwatch.padded(name, 40) + row.map { Stopwatch.padded("\($0)", -8) }.joined())
        return processor[0] <= 1_000 && last[0] <= 1_000
    }

    /// What `count` sessions go through, with so many `listeners` of properties each.
    static func all(count: Int, listeners: Int) throws -> [ServiceScene] {
        let exclusive = try Service(count: count, listeners: listeners, category: .playback, options: [])
        for session in 0..<count { exclusive.activate(session) }
        let mixing = try Service(count: count, listeners: listeners, category: .playback, options: .mixWithOthers)
        for session in 0..<count { mixing.activate(session) }
        let ambient = try Service(count: count, listeners: listeners, category: .ambient, options: [])
        for session in 0..<count { ambient.activate(session) }
        let ducked = try Service(count: count, listeners: listeners, category: .playback, options: .mixWithOthers)
        for session in 1..<count { ducked.activate(session) }
        try ducked.sessions[0].setOptions(.duckOthers)
        return [
            ServiceScene(
                exclusive,
                (0..<count).map { session in ("one takes over from another, 98 wait", { $0.activate(session) }) }),
            ServiceScene(mixing, [("one ends", { $0.deactivate(0) }), ("one begins beside 99", { $0.activate(0) })]),
            ServiceScene(
                mixing,
                [
                    ("a call interrupts all", { _ = $0.all.interruptionBegan() }),
                    (
                        "all resume after the call",
                        { service in for call in service.all.interruptions { service.all.interruptionEnded(call) } }
                    ),
                ]),
            ServiceScene(ducked, [("one ducks 99", { $0.activate(0) }), ("99 come back", { $0.deactivate(0) })]),
            ServiceScene(
                mixing,
                [
                    ("headphones in", { $0.board.surroundings.set(.headphoneInserted(true)) }),
                    ("headphones out", { $0.board.surroundings.set(.headphoneInserted(false)) }),
                ]),
            ServiceScene(
                ambient,
                [
                    ("the switch to silent", { $0.board.ringSilent.position = .silent }),
                    ("the switch to ring", { $0.board.ringSilent.position = .ring }),
                ]),
            ServiceScene(
                mixing,
                [0.25, 0.5].map { volume in
                    ("the volume changes", { $0.board.surroundings.set(.outputVolume(volume)) })
                }),
        ]
    }
}
