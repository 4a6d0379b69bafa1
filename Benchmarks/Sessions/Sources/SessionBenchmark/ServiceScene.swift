import RingerServices
import RingerTestKit

/// Changes that the whole service goes through again and again.
struct ServiceScene {
    let name: String
    private let service: Service
    private let changes: [(Service) -> Void]

    init(_ name: String, _ service: Service, _ changes: [(Service) -> Void]) {
        self.name = name
        self.service = service
        self.changes = changes
    }

    static var heading: String {
        Stopwatch.padded("the whole service, in microseconds", 40)
            + ["n", "cpu50", "cpu99", "cpumax", "ret50", "ret99", "last50", "last99", "lastmax", "told"]
            .map { Stopwatch.padded($0, -8) }.joined()
    }

    /// Measures each change, and prints a row.
    ///
    /// - Returns: Whether half of all took no more than a millisecond of processor time, and on the clock until the last
    ///   listener was called; other programs lengthen the rest.
    func measure(rounds: Int) -> Bool {
        for change in changes { _ = service.measure(change) }
        var costs: [Service.Cost] = []
        while costs.count < rounds {
            for change in changes { costs.append(service.measure(change)) }
        }
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

    /// What 100 sessions go through.
    static func all(count: Int) throws -> [ServiceScene] {
        let exclusive = try Service(count: count, category: .playback, options: [])
        for session in 0..<count { exclusive.activate(session) }
        let mixing = try Service(count: count, category: .playback, options: .mixWithOthers)
        for session in 0..<count { mixing.activate(session) }
        let ambient = try Service(count: count, category: .ambient, options: [])
        for session in 0..<count { ambient.activate(session) }
        let ducked = try Service(count: count, category: .playback, options: .mixWithOthers)
        for session in 1..<count { ducked.activate(session) }
        try ducked.sessions[0].setOptions(.duckOthers)
        return [
            ServiceScene(
                "one takes over from another, 98 wait", exclusive,
                (0..<count).map { session in { $0.activate(session) } }),
            ServiceScene("one ends, and comes back", mixing, [{ $0.deactivate(0) }, { $0.activate(0) }]),
            ServiceScene(
                "a call interrupts all, and all resume", mixing,
                [
                    { _ = $0.all.interruptionBegan() },
                    { service in for call in service.all.interruptions { service.all.interruptionEnded(call) } },
                ]),
            ServiceScene("one ducks 99, and they come back", ducked, [{ $0.activate(0) }, { $0.deactivate(0) }]),
            ServiceScene(
                "headphones in and out", mixing,
                [
                    { $0.board.surroundings.set(.headphoneInserted(true)) },
                    { $0.board.surroundings.set(.headphoneInserted(false)) },
                ]),
            ServiceScene(
                "the switch flips", ambient,
                [{ $0.board.ringSilent.position = .silent }, { $0.board.ringSilent.position = .ring }]),
            ServiceScene(
                "the volume changes", mixing,
                [
                    { $0.board.surroundings.set(.outputVolume(0.25)) },
                    { $0.board.surroundings.set(.outputVolume(0.5)) },
                ]),
        ]
    }
}
