import Glibc
import RingerLinux
import RingerTestKit

/// Measures the mute detector's times, and counts its verdicts: `DetectorBenchmark quiet|busy TRIALS`, or in the laboratory
/// `DetectorBenchmark truth TRIALS PCM TITLE`.
@main
struct DetectorBenchmark {
    static func main() async throws {
        if CommandLine.arguments.count == 5, let trials = Int(CommandLine.arguments[2]) {
            var truth = try await Truth(pcm: CommandLine.arguments[3])
            try await truth.measure(trials)
            exit(truth.report(CommandLine.arguments[4]) ? 0 : 1)
        }
        guard CommandLine.arguments.count == 3, let trials = Int(CommandLine.arguments[2]) else { exit(64) }
        let isBusy = CommandLine.arguments[1] == "busy"
        let loop = try EventLoop(name: "detector")
        var subjects = try Subject.Kind.allCases.map { try Subject($0, on: loop) }
        for trial in 0..<trials {
            // Every other one is heard.
            let muted: [Subject.Kind] = [.switchAtSilent, .routedToNothing, .swallows]
            let kind = trial.isMultiple(of: 2) ? .heard : muted[trial / 2 % muted.count]
            await measure(kind, &subjects)
            if trial % 50 == 49 { await measure(trial % 100 == 49 ? .missing : .standsStill, &subjects) }
        }
        if !isBusy { print(Subject.heading) }
        var isGood = true
        for subject in subjects {
            let problem = subject.problem(isBusy: isBusy)
            print(subject.row(isBusy: isBusy) + (problem ?? ""))
            if problem != nil { isGood = false }
            for reading in subject.odd { print("    \(reading)") }
        }
        for subject in subjects { subject.device.close() }
        if !isGood { exit(1) }
    }

    static func measure(_ kind: Subject.Kind, _ subjects: inout [Subject]) async {
        guard let index = subjects.firstIndex(where: { $0.kind == kind }) else { return }
        await subjects[index].measure()
    }
}
