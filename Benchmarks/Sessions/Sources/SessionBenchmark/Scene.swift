import Glibc
import RingerServices

/// Events that a crowd goes through again and again.
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
        padded("what, in microseconds", 40)
            + ["n", "p50", "p99", "max", "clock50", "clock99", "told"].map { padded($0, -8) }.joined()
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
                let start = (Self.now(CLOCK_THREAD_CPUTIME_ID), Self.now(CLOCK_MONOTONIC))
                crowd.change(event)
                durations.append(Self.now(CLOCK_THREAD_CPUTIME_ID) - start.0)
                onClock.append(Self.now(CLOCK_MONOTONIC) - start.1)
            }
        }
        let told = (crowd.told - toldBefore) / durations.count
        let columns =
            [0.5, 0.99, 1].map { Self.percentile($0, durations) } + [0.5, 0.99].map { Self.percentile($0, onClock) }
        let row = [Int64(durations.count)] + columns + [Int64(told)]
        print(Self.padded(name, 40) + row.map { Self.padded("\($0)", -8) }.joined())
        return columns[1] <= 1_000
    }

    /// The microseconds that `share` of all do not exceed.
    private static func percentile(_ share: Double, _ durations: [Int64]) -> Int64 {
        durations.sorted()[min(durations.count - 1, Int(Double(durations.count) * share))] / 1_000
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
        return width < 0 ? spaces + text : text + spaces
    }
}
