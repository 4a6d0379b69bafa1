import Glibc
import RingerCore
import SessionProperties
import SessionRules

/// Events that are repeated for a crowd.
struct Scene {
    private let name: String
    private var crowd: Crowd
    private let events: [SessionCoordinator.Event]

    init(_ name: String, _ crowd: Crowd, _ events: [SessionCoordinator.Event]) {
        self.name = name
        self.crowd = crowd
        self.events = events
    }

    static var heading: String {
        Stopwatch.padded("what, in microseconds", 40)
            + ["n", "p50", "p99", "max", "clock50", "clock99", "told"].map { Stopwatch.padded($0, -8) }.joined()
    }

    /// Measures each change, in the processor time of this thread, which other programs do not lengthen, and on the
    /// clock, which they do; and prints a row.
    ///
    /// - Returns: Whether 99 of 100 took no more than a millisecond of processor time.
    mutating func measure(rounds: Int) -> Bool {
        var durations: [Int64] = []
        var onClock: [Int64] = []
        for event in events { crowd.change(event) }
        let toldBefore = crowd.told
        while durations.count < rounds {
            for event in events {
                let start = (Stopwatch.now(CLOCK_THREAD_CPUTIME_ID), Stopwatch.now(CLOCK_MONOTONIC))
                crowd.change(event)
                durations.append(Stopwatch.now(CLOCK_THREAD_CPUTIME_ID) - start.0)
                onClock.append(Stopwatch.now(CLOCK_MONOTONIC) - start.1)
            }
        }
        let told = (crowd.told - toldBefore) / durations.count
        let columns =
            [0.5, 0.99, 1].map { Stopwatch.percentile($0, durations) }
            + [0.5, 0.99].map { Stopwatch.percentile($0, onClock) }
        let row = [Int64(durations.count)] + columns + [Int64(told)]
        print(Stopwatch.padded(name, 40) + row.map { Stopwatch.padded("\($0)", -8) }.joined())
        return columns[1] <= 1_000
    }
}
