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
    /// How many rounds a block has: where there are enough, so many that each has variations of every cost.
    private let blockSize: Int

    init(_ kind: Kind, rounds: Int) {
        (self.kind, self.rounds) = (kind, max(40, rounds / kind.share))
        blockSize = max(self.rounds / 200, min(10, self.rounds / 40))
    }

    /// Repeats it, and returns what to print, and whether all is flat.
    func run() throws -> (line: String, isFlat: Bool) {
        let round = try kind.make()
        var number = 0
        func repeats(_ numbers: Range<Int>) throws {
            for number in numbers {
                do { try round(number) } catch { throw Unexpected("round \(number): \(error)") }
            }
        }
        func repeats(_ count: Int) throws {
            try repeats(number..<number + count)
            number += count
        }
        let warmUp = max(50, rounds / 10)
        /// The least processor time of a round, of blocks of rounds: nanoseconds. The variations are always the same, as
        /// some cost ten times as much as others.
        func cost() throws -> Double {
            var least = Double.infinity
            for block in 0..<Self.blocks {
                let start = processorTime()
                let first = warmUp + block * blockSize
                try repeats(first..<first + blockSize)
                least = min(least, Double(processorTime() - start) / Double(blockSize))
            }
            return least
        }

        try repeats(warmUp)
        Depth.restart()
        _ = try Usage.now()
        let firstCost = try cost()
        number += Self.blocks * blockSize
        var first = try settled { $1 >= 2 }
        var (last, lastCost, failures) = (first, firstCost, ["not repeated"])
        // What has grown to its full size does not go on growing: tables of Foundation reach theirs after some thousand
        // rounds, and each thread of Dispatch keeps up to 1,024 blocks of 80 bytes. What has shrunk, because such a thread
        // has ended, says nothing of growth.
        for _ in 0..<8 where !failures.isEmpty || first.heap - last.heap > Usage.limits.heap {
            first = last
            Depth.restart()
            try repeats(rounds - 2 * Self.blocks * blockSize)
            Depth.restart()
            lastCost = try cost()
            last = try settled { $1 == 50 || $1 >= 2 && $0.grown(since: first).isEmpty }
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

    /// What is used once `isOver`, which gets for how many looks it has not shrunk: threads that have ended their work end soon,
    /// and what they hold with them.
    private func settled(_ isOver: (Usage, _ waits: Int) -> Bool) throws -> Usage {
        var (least, waits) = (try Usage.now(), 0)
        while !isOver(least, waits) {
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
