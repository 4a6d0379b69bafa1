import Glibc

/// Repeats a kind, and judges what it used at first and in the end.
struct Endurance {
    let kind: Kind
    /// After the warm-up.
    let rounds: Int

    /// The processor time of the last rounds may be so many times that of the first. Other load on the machine makes it
    /// vary by less, and the fastest of many blocks by little.
    private static let costLimit = 3.0
    private static let blocks = 10

    init(_ kind: Kind, rounds: Int) {
        (self.kind, self.rounds) = (kind, max(20, rounds / kind.share))
    }

    /// Repeats it, and returns what to print, and whether all is flat.
    func run() throws -> (line: String, isFlat: Bool) {
        let round = try kind.make()
        var number = 0
        func repeats(_ count: Int) throws {
            for _ in 0..<count {
                do { try round(number) } catch { throw Unexpected("round \(number): \(error)") }
                number += 1
            }
        }
        /// The least processor time of a round, of blocks of rounds: nanoseconds.
        func cost() throws -> Double {
            let size = max(1, rounds / 20 / Self.blocks)
            var least = Double.infinity
            for _ in 0..<Self.blocks {
                let start = processorTime()
                try repeats(size)
                least = min(least, Double(processorTime() - start) / Double(size))
            }
            return least
        }

        try repeats(max(50, rounds / 10))
        Depth.restart()
        _ = try Usage.now()
        let firstCost = try cost()
        var first = try Usage.now()
        var (last, lastCost, failures) = (first, firstCost, ["not repeated"])
        // What has grown because of what the last rounds happened to be, or to its full size, does not go on growing: caches
        // and tables of Foundation reach theirs after some thousand rounds.
        for _ in 0..<8 where !failures.isEmpty {
            first = last
            Depth.restart()
            try repeats(rounds * 9 / 10)
            Depth.restart()
            lastCost = try cost()
            last = try settled(since: first)
            failures = last.grown(since: first)
        }
        // A slow machine is not slow in all of them.
        for _ in 0..<20 where lastCost > firstCost * Self.costLimit { lastCost = min(lastCost, try cost()) }
        let ratio = lastCost / firstCost
        if ratio > Self.costLimit { failures.append("cost") }
        let growth = Usage.measures.map { "\($0.name) \(signed(last[keyPath: $0.path] - first[keyPath: $0.path]))" }
        let line =
            "\(kind.name): \(number) rounds; \(growth.joined(separator: ", ")); "
            + "\(Int(lastCost / 1000)) us each, ratio \((ratio * 100).rounded() / 100): "
            + (failures.isEmpty ? "ok" : "FAILED: " + failures.joined(separator: ", "))
        return (line, failures.isEmpty)
    }

    /// What is used once it does not shrink any more, or has not grown: threads that have ended their work end soon, and what
    /// they hold with them.
    private func settled(since first: Usage) throws -> Usage {
        var (least, waits) = (try Usage.now(), 0)
        while !least.grown(since: first).isEmpty, waits < 50 {
            usleep(50_000)
            let now = try Usage.now()
            waits = now.hasShrunk(since: least) ? 0 : waits + 1
            if waits == 0 { least = now }
        }
        return least
    }

    private func signed(_ value: Int) -> String { value > 0 ? "+\(value)" : "\(value)" }
}

/// What the process and its threads have used of processors, in nanoseconds.
private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
