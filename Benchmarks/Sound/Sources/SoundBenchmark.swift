import Glibc
import RingerLinux
import Synchronization

/// Measures the sound output as a caller sees it.
@main
struct SoundBenchmark {
    static let clip = PCMBuffer(sampleRate: 48_000, channels: 2, samples: [Int16](repeating: 0, count: 19_200))
    static let pcm = "paced"
    // SAFETY: set once, before anything else runs.
    static nonisolated(unsafe) var priority: Int?

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 2, arguments[1] == "first" { return try await first() }
        let runs = arguments.count > 1 ? Int(arguments[1]) ?? 200 : 200
        if arguments.count > 2 { priority = Int(arguments[2]) }
        print(Sample.heading)
        print(try firstOfProcess(runs: runs).row)
        for sample in try await played(runs: runs, linger: .zero, "device closed") { print(sample.row) }
        for sample in try await played(runs: runs, linger: .seconds(10), "device open") { print(sample.row) }
        print(try await stopped(runs: runs).row)
        print(try aplay(runs: min(runs, 50)).row)
        print("wake-ups of the sound thread in 10 s at rest: \(try await Rest.wakeUps(seconds: 10))")
    }

    /// One sound, of which the timestamps are kept.
    struct Run {
        var asked: MonotonicTime
        var started: MonotonicTime?
        var stopAsked: MonotonicTime?
        var ended: MonotonicTime?
    }

    static func play(on output: ALSASoundOutput, stop: Bool = false) async -> Run {
        await withCheckedContinuation { continuation in
            let run = Mutex(Run(asked: .now))
            let playback = Mutex<(any Playback)?>(nil)
            let running = output.play(clip, PlaybackOptions(reportAt: stop ? .milliseconds(20) : nil)) { event in
                let now = MonotonicTime.now
                switch event {
                case .started(let time): run.withLock { $0.started = time }
                case .progress:
                    run.withLock { $0.stopAsked = .now }
                    playback.withLock { $0?.stop() }
                case .ended:
                    continuation.resume(
                        returning: run.withLock {
                            $0.ended = now
                            return $0
                        })
                default: print("# \(event)")
                }
            }
            playback.withLock { $0 = running }
        }
    }

    static func played(runs: Int, linger: Duration, _ what: String) async throws -> [Sample] {
        let output = try ALSASoundOutput(pcm: pcm, realTimePriority: priority, linger: linger)
        defer { output.close() }
        var start = Sample(name: "play to first frame accepted, \(what)")
        var excess = Sample(name: "first frame to completion of 0.2 s, over 200 ms, \(what)")
        _ = await play(on: output)
        for _ in 0..<runs {
            let run = await play(on: output)
            guard let started = run.started, let ended = run.ended else { continue }
            start.durations.append(started - run.asked)
            excess.durations.append(ended - started - .milliseconds(200))
        }
        return [start, excess]
    }

    static func stopped(runs: Int) async throws -> Sample {
        let output = try ALSASoundOutput(pcm: pcm, realTimePriority: priority)
        defer { output.close() }
        var sample = Sample(name: "stop to stopped")
        for _ in 0..<runs {
            let run = await play(on: output, stop: true)
            guard let asked = run.stopAsked, let ended = run.ended else { continue }
            sample.durations.append(ended - asked)
        }
        return sample
    }

    /// The first sound of a process, which reads ALSA's configuration too. Run by ``firstOfProcess(runs:)``.
    static func first() async throws {
        let begun = MonotonicTime.now
        let output = try ALSASoundOutput(pcm: pcm)
        let run = await play(on: output)
        guard let started = run.started else { exit(1) }
        print(started.nanoseconds - begun.nanoseconds)
    }

    static func firstOfProcess(runs: Int) throws -> Sample {
        var sample = Sample(name: "output made to first frame accepted, new process")
        for _ in 0..<min(runs, 100) {
            guard let pipe = popen("\(CommandLine.arguments[0]) first", "r") else { continue }
            var line = [CChar](repeating: 0, count: 64)
            if fgets(&line, 64, pipe) != nil { sample.durations.append(.nanoseconds(atoll(line))) }
            pclose(pipe)
        }
        return sample
    }

    static func aplay(runs: Int) throws -> Sample {
        var sample = Sample(name: "aplay of 0.2 s of silence, whole process, over 200 ms")
        for _ in 0..<runs {
            let begun = MonotonicTime.now
            guard system("head -c 38400 /dev/zero | aplay -q -D \(pcm) -t raw -f S16_LE -r 48000 -c 2") == 0 else {
                continue
            }
            sample.durations.append(MonotonicTime.now - begun - .milliseconds(200))
        }
        return sample
    }
}
