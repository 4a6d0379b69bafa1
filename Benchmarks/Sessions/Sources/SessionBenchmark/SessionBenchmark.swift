import CAllocations
import Glibc
import RingerCore
import SessionProperties
import SessionRules

/// Measures changes among 100 sessions, and single decisions.
@main
enum SessionBenchmark {
    static let count = 100

    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000
        let isServiceOnly = CommandLine.arguments.dropFirst(2).first == "service"
        var isGood = true
        if !isServiceOnly {
            print("100 sessions; a change with a decision for each session and four listeners of each")
            print(Scene.heading)
            for scene in try scenes() {
                var scene = scene
                isGood = scene.measure(rounds: rounds) && isGood
            }
            isGood = try decisions() && isGood
            print()
        }
        print("until the last of 101 subscribers was notified")
        print(ServiceScene.heading)
        for scene in try ServiceScene.all(count: count, listeners: 0) {
            isGood = scene.measure(rounds: max(1, rounds / 5)) && isGood
        }
        print()
        print("until the last of 400 listeners and 101 subscribers was notified, without a limit")
        print(ServiceScene.heading)
        for scene in try ServiceScene.all(count: count, listeners: 4) { _ = scene.measure(rounds: max(1, rounds / 5)) }
        exit(isGood ? 0 : 1)
    }

    private static func scenes() throws -> [Scene] {
        let board = try RouteBoard([
            .init(.speaker, pcm: "spk"), .init(.receiver, pcm: "ear"), .init(.headphone, pcm: "hp"),
        ])
        func crowd(_ category: AudioCategory, _ options: CategoryOptions = []) throws -> Crowd {
            try Crowd(count: count, board: board, category: category, options: options)
        }
        let all = (1...count).map { SessionID(rawValue: UInt64($0)) }
        let first = all[0]
        var mixing = try crowd(.playback, .mixWithOthers)
        for id in all { mixing.change(.activate(id)) }
        var ducked = mixing
        ducked.change(.deactivate(first))
        ducked.change(.setOptions(first, .duckOthers))
        var exclusive = try crowd(.playback)
        for id in all { exclusive.change(.activate(id)) }
        let call = OutsideInterruption(rawValue: 1)
        return [
            Scene("one takes over from another, 98 wait", exclusive, all.map { [.activate($0)] }.flatMap { $0 }),
            Scene(
                "a call interrupts all, and all resume", mixing,
                [.outsideBegan(call), .outsideEnded(call, shouldResume: true)]),
            Scene("one ducks 99, and they come back", ducked, [.activate(first), .deactivate(first)]),
            Scene(
                "headphones in and out", mixing,
                [.route(.headphone(isInserted: true)), .route(.headphone(isInserted: false))]),
            Scene("one begins and ends to play", mixing, [.sounding(first, true), .sounding(first, false)]),
        ]
    }

    /// Times a decision alone, and counts what it allocates.
    private static func decisions() throws -> Bool {
        var crowd = try Crowd(count: count, board: .speakerOnly, category: .ambient, options: [])
        let before = allocations_of_this_thread()
        for number in 1...count { crowd.change(.activate(SessionID(rawValue: UInt64(number)))) }
        let change = (allocations_of_this_thread() - before) / UInt(count)
        let coordinator = crowd.coordinator
        let states = [SwitchPosition.ring, .silent].map {
            DeviceState(ringSilent: $0, ringSilentSource: "evdev /dev/input/event0")
        }
        let preferences = UserPreferences()
        let rounds = 1_000_000
        var heard = 0
        let allocationsBefore = allocations_of_this_thread()
        let start = ContinuousClock.now
        for round in 0..<rounds {
            let id = SessionID(rawValue: UInt64(round % count + 1))
            if coordinator.isAudible(id, state: states[round & 1], preferences: preferences) { heard += 1 }
        }
        let duration = ContinuousClock.now - start
        let allocations = allocations_of_this_thread() - allocationsBefore
        let nanoseconds = duration.nanoseconds / Int64(rounds)
        print("a decision: \(nanoseconds) ns, \(allocations) allocations in \(rounds) (\(heard) heard)")
        print("a change, which shows that they are counted: \(change) allocations")
        return change > 0 && nanoseconds <= 1_000 && allocations == 0 && heard == rounds / 2
    }
}
