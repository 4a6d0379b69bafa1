import CLabSupport
import Glibc
import RingerLinux
import Testing

extension FailingCalls {
    /// Every system call that a scenario makes fails in turn, in Ringer as in the libraries below it.
    @Suite struct SweepTests {
        private static let errors = [EIO, ENODEV, EAGAIN, EINTR, ENOMEM, EMFILE]

        @Test(
            "whichever call fails, motor and silent room are still, requests end once, and no descriptor is left",
            arguments: try scenarios())
        func sweep(_ scenario: FailingScenario) async throws {
            try #require(lab_calls_can_fail() == 1, "failing_calls.c is not preloaded: Tests/Lab/test --failing-calls")
            // What is loaded once, such as alsa-lib, has been loaded then.
            _ = try await run(scenario, .none)
            let undisturbed = try await run(scenario, .none)
            #expect(undisturbed.findings == [])
            var (runs, failed) = (0, 0)
            for failure in Self.failures(undisturbed.calls) {
                print("sweep: \(scenario.rawValue) \(failure)")
                let result = try await run(scenario, failure)
                runs += 1
                if result.failed > 0 { failed += 1 }
                guard !result.findings.isEmpty else { continue }
                Issue.record(
                    "\(scenario) \(failure), \(result.description): \(result.findings.joined(separator: "; "))")
                // One failure must not spoil what follows.
                let after = try await run(scenario, .none)
                try #require(after.findings == [], "the next run, in which nothing fails")
            }
            print("\(scenario.rawValue): \(undisturbed.calls) calls, \(runs) runs, in \(failed) of which a call failed")
            #expect(failed > 0, "no call failed")
        }

        /// Those that RINGER_SCENARIOS names; all by default.
        private static func scenarios() throws -> [FailingScenario] {
            let names = environment("RINGER_SCENARIOS")?.split(separator: ",").map(String.init)
            return try names?.map { try #require(FailingScenario(rawValue: $0), "no scenario is called \($0)") }
                ?? FailingScenario.allCases
        }

        /// Each call once, with the next of the errors. With RINGER_SWEEP=every:N:FIRST only each Nth call, and FIRST
        /// modulo N is the first one; once FIRST has grown by N, each call has the error after. With RINGER_SWEEP=full each
        /// with every error, and with one of them three times and always; with RINGER_SWEEP=NUMBER:ERROR:TIMES only this one,
        /// as a finding names it.
        private static func failures(_ calls: Int) -> [FailingBench.Failure] {
            let sweep = environment("RINGER_SWEEP")
            let parts = sweep?.split(separator: ":").compactMap { Int($0) } ?? []
            if parts.count == 3 { return [.init(number: parts[0], error: CInt(parts[1]), times: parts[2])] }
            let isPart = sweep?.hasPrefix("every:") == true && parts.count == 2 && parts[0] > 0
            let (step, first, round) = isPart ? (parts[0], parts[1] % parts[0], parts[1] / parts[0]) : (1, 0, 0)
            return stride(from: first, to: calls, by: step).flatMap { number in
                let next = errors[(number + round) % errors.count]
                if sweep != "full" { return [FailingBench.Failure(number: number, error: next, times: 1)] }
                // No call is interrupted for ever.
                let lasting = next == EINTR ? EIO : next
                return errors.map { FailingBench.Failure(number: number, error: $0, times: 1) } + [
                    .init(number: number, error: next, times: 3),
                    .init(number: number, error: lasting, times: FailingBench.Failure.always),
                ]
            }
        }

        private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

        private struct Result {
            var calls: Int
            var failed: Int
            var description: String
            var findings: [String]
        }

        private func run(_ scenario: FailingScenario, _ failure: FailingBench.Failure) async throws -> Result {
            try await LabBoard.reset()
            let before = try openDescriptors()
            let bench = try FailingBench(failure, isHeard: scenario.isHeard)
            let thrown: String? = try await blocking {
                defer { _ = lab_calls_end() }
                do {
                    try scenario.run(bench)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            let description = String(cString: lab_calls_description())
            // Nobody sees a switch that can no longer be waited for or read.
            let isOfLine = description.contains("anon_inode:gpio-event") || description.contains("anon_inode:gpio-line")
            let reads = ["read(", "ioctl("].contains { description.hasPrefix($0) }
            let readsSwitch = description.hasPrefix("ppoll(") || description.hasPrefix("poll(") || isOfLine && reads
            let isBlind = failure.times == FailingBench.Failure.always && readsSwitch
            var result = Result(
                calls: Int(lab_calls_end()), failed: Int(lab_calls_failed()), description: description,
                findings: try await bench.findings(before, mayBeHeard: isBlind ? .max / 48 : scenario.mayBeHeard))
            if failure.times == 0, let thrown { result.findings.append(thrown) }
            return result
        }
    }
}
