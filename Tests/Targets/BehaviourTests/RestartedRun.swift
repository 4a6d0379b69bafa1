import Glibc
import RingerLinux
import Synchronization
import Testing

/// A run of a test over the service, which may be killed and started again at one moment of it.
///
/// A moment is when every message has arrived, those included that came since the moment before. What is lost between a call
/// and its reply is for tests of their own.
final class RestartedRun: Sendable {
    /// What the test runs in.
    @TaskLocal static var current: RestartedRun?

    private struct State {
        var moments = 0
        var benches: [DeviceBench] = []
        /// For each list of results, how its requests ended, and those of them that had ended at the restart.
        var lists: [(ends: @Sendable () -> [String], before: [String])] = []
        /// What no restart changes, after each step of the test; empty for those before the restart.
        var steps: [[String]] = []
        var isRestarted = false
        /// What the restart changed that has to last, or why the service was not started again.
        var failures: [String] = []
    }

    /// The moment at which the service is killed; nil for none.
    private let restart: Int?
    /// Whether the program that came last finds the new service first.
    private let isReversed: Bool
    private let state = Mutex(State())

    /// Whether what the test expects counts.
    var isOrdinary: Bool { restart == nil }

    init(restart: Int?, isReversed: Bool = false) {
        (self.restart, self.isReversed) = (restart, isReversed)
    }

    /// Keeps the bench until ``end()``.
    func add(_ bench: DeviceBench) {
        state.withLock { $0.benches.append(bench) }
    }

    /// Keeps what requests ended with.
    func add<Value: Sendable>(_ values: @escaping @Sendable () -> [Value]) {
        state.withLock { $0.lists.append(({ values().map(Self.text) }, [])) }
    }

    /// Keeps how requests ended before the service is killed now.
    func keepEnds() {
        let lists = state.withLock { $0.lists.map(\.ends) }
        let ended = lists.map { $0() }
        state.withLock { state in
            for (place, ends) in ended.enumerated() { state.lists[place].before = ends }
        }
    }

    private static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        let outcome = "\(mirror.descendant("outcome") ?? mirror.descendant("verdict") ?? value)"
        return "\(value)".contains("disconnected") ? outcome + ", disconnected" : outcome
    }

    /// Counts a moment, and returns whether the service is killed at it.
    func isRestart() -> Bool {
        state.withLock { state in
            state.moments += 1
            state.isRestarted = state.isRestarted || state.moments - 1 == restart
            return state.moments - 1 == restart
        }
    }

    /// Records what no restart changes, after a step of the test.
    func add(step: [String]) {
        state.withLock { $0.steps.append($0.isRestarted || isOrdinary ? step : []) }
    }

    /// The order in which programs find the new service.
    func order<Program>(_ programs: [Program]) -> [Program] { isReversed ? programs.reversed() : programs }

    /// Keeps what is wrong after the restart.
    func fail(_ description: String) {
        state.withLock { $0.failures.append(description) }
    }

    var moments: Int { state.withLock { $0.moments } }

    /// Waits until all has ended, and makes a last request of each kind.
    func end() throws -> Ending {
        let lastOutcomes = Results<String>()
        var ending = Ending()
        for bench in state.withLock({ $0.benches }) where bench.service != nil {
            try bench.endRestarts()
            bench.advance(.seconds(60))
            ending.state += bench.lasting + bench.atRest
            ending.heardAtSilent += bench.heardAtSilent
            let sound = PCMBuffer(sampleRate: 8_000, channels: 1, samples: Array(repeating: 7, count: 800))
            try bench.device.start(sound, category: .playback, options: .mixWithOthers) {
                lastOutcomes.append("\($0.outcome)")
            }
            try bench.device.vibrator?.start(VibrationPattern(milliseconds: "100")) { lastOutcomes.append("\($0)") }
            bench.advance(.seconds(1))
        }
        ending.failures = state.withLock { $0.failures }
        ending.lastOutcomes = lastOutcomes.all.sorted()
        ending.steps = state.withLock { $0.steps }
        ending.lists = state.withLock { $0.lists }.map { ($0.before, $0.ends()) }
        return ending
    }

    /// Lets go of the benches, which refer to the run.
    func forget() {
        let benches = state.withLock { state in
            defer { state.benches = [] }
            return state.benches
        }
        for bench in benches { bench.leaveRun() }
    }

    /// What is left when all has ended.
    struct Ending {
        /// What has to be as without a restart.
        var state: [String] = []
        /// How the last requests ended.
        var lastOutcomes: [String] = []
        /// How the requests ended, for each list of results: those before the restart, and all.
        var lists: [(before: [String], all: [String])] = []
        /// What no restart changes, after each step of the test.
        var steps: [[String]] = []
        var failures: [String] = []
        /// The sounds that were heard while the switch was at silent.
        var heardAtSilent: [String] = []

        func expect(_ ordinary: Ending, _ comment: Comment) {
            #expect(failures.isEmpty, comment)
            #expect(state == ordinary.state, comment)
            #expect(lastOutcomes == ordinary.lastOutcomes, comment)
            #expect(steps.count == ordinary.steps.count, comment)
            for (step, ordinary) in zip(steps, ordinary.steps) where !step.isEmpty && !ordinary.isEmpty {
                #expect(step == ordinary, comment)
            }
            #expect(heardAtSilent.count <= ordinary.heardAtSilent.count, comment)
            #expect(Set(heardAtSilent).isSubset(of: ordinary.heardAtSilent), comment)
            // Every request ends once: as it does without a restart, or with the service that had it.
            #expect(lists.map(\.all.count) == ordinary.lists.map(\.all.count), "\(comment): \(lists)")
            for (list, ordinary) in zip(lists, ordinary.lists.map(\.all)) {
                #expect(list.before == Array(ordinary.prefix(list.before.count)), comment)
                var others = ordinary
                for end in list.all {
                    if let place = others.firstIndex(of: end) {
                        others.remove(at: place)
                    } else {
                        #expect(end.hasSuffix("disconnected"), "\(comment): \(list.all), not \(ordinary)")
                    }
                }
            }
        }
    }
}

/// Runs each test once more for every moment of it, with the service killed and started again at that moment. What the test
/// itself expects counts in the first run alone.
///
/// With `RINGER_RESTARTS=3/20` in the environment it is the fourth twentieth of these runs, for tests that are repeated.
struct RestartTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    /// Which of the runs: those whose number, divided by `count`, leaves `number`.
    private static let part: (number: Int, count: Int) = {
        guard let words = getenv("RINGER_RESTARTS").map({ String(cString: $0).split(separator: "/").map { Int($0) } }),
            words.count == 2, let number = words[0], let count = words[1], count > 0, (0..<count).contains(number)
        else { return (0, 1) }
        return (number, count)
    }()

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let first = RestartedRun(restart: nil)
        defer { first.forget() }
        try await RestartedRun.$current.withValue(first, operation: function)
        let moments = first.moments
        let ordinary = try first.end()
        var missed = 0
        let runs = Array(stride(from: Self.part.number, to: 2 * moments, by: Self.part.count))
        for index in runs {
            let (restart, isReversed) = (index / 2, !index.isMultiple(of: 2))
            let comment: Comment = """
                the service was killed at moment \(restart) of \(moments), and \(isReversed ? "last" : "first") found by the \
                first program
                """
            let run = RestartedRun(restart: restart, isReversed: isReversed)
            defer { run.forget() }
            do {
                try await RestartedRun.$current.withValue(run) {
                    try await function()
                }
                // One moment of a run may be two of another.
                if run.moments > restart { try run.end().expect(ordinary, comment) } else { missed += 1 }
            } catch {
                Issue.record(error, comment)
            }
        }
        // Those are the last moments; a part may have one more of them.
        let most = runs.count / 2 + (Self.part.count > 1 ? 1 : 0)
        #expect(missed <= most, "the service was killed in no more than \(runs.count - missed) of \(runs.count) runs")
    }
}

extension Trait where Self == RestartTrait {
    /// Runs each test with a restart of the service at every moment, too.
    static var restarts: Self { RestartTrait() }
}
