import Glibc
import Testing

// The tests in this folder run on the laboratory's kernel, against the drivers that a board has. `make lab` boots it and
// runs them; anywhere else they are skipped.
//
// A test belongs to one of four suites, by the clock that it needs, and is written in an extension of it:
//
//     extension VirtualTime {
//         @Suite struct MotorTests {
//             @Test("the motor's line is high for exactly the pattern's times") func pattern() async throws { ... }
//         }
//     }
//
// One test runs at a time, because there is one board, and each begins with the board at rest (`LabBoard.reset`).
//
// The guest has one processor, so the cooperative pool has one thread: a test that blocks it stops the code under test.
// What blocks goes through `blocking`, which the types in this folder do by themselves where they are `async`.
//
//     LabBoard, SimulatedChip   the board's lines: their pull, their value
//     PluggableChip             a GPIO chip that comes and goes
//     InputDevice               an event device, read without any library
//     VirtualInput              an input device of the test's own: switch, slider, motor
//     LineRecorder              when a line was high, and how long
//     ChildProcess              a program beside the test

/// Real time: sound, wake-ups, whatever must agree with a clock outside.
@Suite(.serialized, .lab(.real)) enum RealTime {}

/// Virtual time: sleeping costs nothing and computing takes no time, so times are exact. Code that spins until
/// the clock moves spins forever.
@Suite(.serialized, .lab(.virtual)) enum VirtualTime {}

/// Virtual time, with system calls that fail: `Tests/Lab/test --failing-calls` preloads what makes them fail.
@Suite(.serialized, .lab(.virtual)) enum FailingCalls {}

/// Either: these run twice.
@Suite(.serialized, .lab(.real, .virtual)) enum EitherTime {}

/// The laboratory that this process runs in, if it does.
enum Lab {
    /// What the guest's clock follows.
    enum Clock: String, Sendable {
        case real
        case virtual
    }

    /// Whether this process is process 1's child on the laboratory's kernel.
    static let isPresent = environment("RINGER_LAB") == "1"

    /// The clock that the laboratory was booted with.
    static let clock = environment("RINGER_LAB_TIME").flatMap(Clock.init(rawValue:))

    /// By how much what happens in the guest may be early or late besides what a test allows it. In user-mode Linux
    /// computing takes no virtual time; on the emulated machine for ARM it takes as long as on a processor of
    /// 1 GHz, and the host's load counts while the guest sleeps.
    #if arch(arm64) || arch(arm)
    static let lateness = Duration.milliseconds(200)
    #else
    static let lateness = Duration.zero
    #endif

    /// A folder of the guest's own, in memory.
    static let temporaryFolder = environment("TMPDIR") ?? "/tmp"

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// Skips a test outside the laboratory; in it, puts the board to rest before the test.
struct LabTrait: TestTrait, SuiteTrait, TestScoping {
    let clocks: Set<Lab.Clock>
    var isRecursive: Bool { true }

    static let reason: Comment = "needs the laboratory's kernel and drivers: make lab"
    private static let presence = ConditionTrait.enabled(if: Lab.isPresent, reason)

    func prepare(for test: Test) async throws {
        if !Lab.isPresent && !test.isSuite { SkippedTests.count() }
        try await Self.presence.prepare(for: test)
        guard let clock = Lab.clock, clocks.contains(clock) else {
            throw LabFailure("this test needs another clock than \(Lab.clock?.rawValue ?? "none"); see Tests/Lab/test")
        }
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if testCase != nil { try await LabBoard.reset() }
        try await function()
    }
}

extension Trait where Self == LabTrait {
    /// Runs in the laboratory alone, on one of these clocks.
    static func lab(_ clocks: Lab.Clock...) -> Self {
        LabTrait(clocks: Set(clocks))
    }
}
