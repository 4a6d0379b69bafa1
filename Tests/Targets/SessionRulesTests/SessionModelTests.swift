import Glibc
import RingerPolicy
import SeededGenerator
import SessionRules
import Testing

/// `RINGER_MODEL_EVENTS` and `RINGER_MODEL_SEED` say how many random events, and which.
@Suite("The coordinator keeps its promises")
struct SessionModelTests {
    typealias Action = SessionCoordinator.Action

    /// Reads a number from the environment.
    static func environment(_ name: String) -> UInt64? {
        // SAFETY: the string is copied at once, and no test changes the environment.
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    /// How many random events make one sequence.
    static let length = 64

    /// Runs sequences of random events until one fails.
    ///
    /// - Returns: The shortest failing sequence with what it breaks; nil if everything was kept.
    static func search(
        events: Int, seed: UInt64, tamper: (@Sendable ([Action]) -> [Action])? = nil
    ) throws -> (sequence: [SessionCoordinator.Event], broken: String)? {
        let board = try RouteBoard(SessionEventGenerator.board)
        var generator = SessionEventGenerator(random: SeededGenerator(seed: seed))
        var done = 0
        while done < events {
            // Some run long, for what only builds up slowly.
            let count = generator.random.oneIn(64) ? length * 16 : length
            let sequence = (0..<count).map { _ in generator.next() }
            done += count
            guard let (_, broken) = SessionModel.run(sequence, board: board, tamper: tamper) else { continue }
            let shortest = Shrinker.shortest(sequence) {
                SessionModel.run($0, board: board, tamper: tamper)?.1.description == broken.description
            }
            return (shortest, broken.description)
        }
        return nil
    }

    @Test("random events break no promise")
    func promises() throws {
        let events = Int(clamping: Self.environment("RINGER_MODEL_EVENTS") ?? 200_000)
        let seed = Self.environment("RINGER_MODEL_SEED") ?? 1
        print("model check of the session coordinator: \(events) events, RINGER_MODEL_SEED=\(seed)")
        let failure = try Self.search(events: events, seed: seed)
        let lines = failure?.sequence.map { "    \($0)" }.joined(separator: "\n") ?? ""
        #expect(failure == nil, "seed \(seed): \(failure?.broken ?? "")\n\(lines)")
    }

    @Test("the random events reach every kind of action and of refusal")
    func coverage() throws {
        let board = try RouteBoard(SessionEventGenerator.board)
        var generator = SessionEventGenerator(random: SeededGenerator(seed: 1))
        var seen: Set<String> = []
        var codes: Set<SessionError.Code> = []
        for _ in 0..<1_000 {
            var coordinator = SessionCoordinator(board: board)
            for _ in 0..<Self.length {
                for action in coordinator.handle(generator.next()) {
                    seen.insert(Self.kind(action))
                    if case .refused(_, let error) = action { codes.insert(error.code) }
                }
            }
        }
        let expected: Set<String> = [
            "accepted", "refused", "stop interruption", "stop deactivation", "stop removal",
            "stop oldDeviceUnavailable",
            "activated", "deactivated", "began", "ended true", "ended false", "dropped answered", "dropped reactivated",
            "dropped deactivated", "dropped removed", "duck", "unduck", "settings", "route 1", "route 2", "route 3",
            "route 4", "route 6", "route 7", "device route", "activity",
            "preferences",
        ]
        #expect(seen == expected)
        #expect(
            codes == [
                .notInitialized, .alreadyInitialized, .notActive, .incompatibleCategory, .noHardware, .noCategorySet,
            ])
    }

    private static func kind(_ action: Action) -> String {
        switch action {
        case .accepted: "accepted"
        case .refused: "refused"
        case .stopSound(_, let reason): "stop \(reason.rawValue)"
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .interruptionBegan: "began"
        case .interruptionEnded(_, let shouldResume): "ended \(shouldResume)"
        case .interruptionDropped(_, let reason): "dropped \(reason.rawValue)"
        case .duck: "duck"
        case .unduck: "unduck"
        case .settingsChanged: "settings"
        case .routeChanged(_, let change): "route \(change.reason.rawValue)"
        case .deviceRouteChanged: "device route"
        case .activityChanged: "activity"
        case .preferencesChanged: "preferences"
        }
    }

    @Test("an action that gets lost is noticed, and shrunk to a handful of events")
    func noticesLoss() throws {
        let losses: [(name: String, longest: Int, drops: @Sendable (Action) -> Bool)] = [
            ("an end", 5, { if case .interruptionEnded = $0 { true } else { false } }),
            ("a begin", 4, { if case .interruptionBegan = $0 { true } else { false } }),
            ("a dropped end", 4, { if case .interruptionDropped = $0 { true } else { false } }),
            ("coming back", 6, { if case .unduck = $0 { true } else { false } }),
            ("a stop", 5, { if case .stopSound = $0 { true } else { false } }),
            ("a route", 2, { if case .routeChanged = $0 { true } else { false } }),
            ("a preference", 3, { if case .preferencesChanged = $0 { true } else { false } }),
            ("an answer", 1, { if case .accepted = $0 { true } else { false } }),
        ]
        for loss in losses {
            let drops = loss.drops
            let found = try Self.search(events: 100_000, seed: 3) { $0.filter { !drops($0) } }
            let count = try #require(found?.sequence.count, "\(loss.name) was lost, and nobody noticed")
            #expect(count <= loss.longest, "\(loss.name): \(found?.sequence ?? [])")
        }
    }
}
