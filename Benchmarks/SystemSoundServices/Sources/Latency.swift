import SystemSounds
import RingerLinux

/// From the call to the first frame that the PCM accepted, or to the completion.
enum Latency {
    static func silenced(rounds: Int) throws {
        let bench = try Bench(position: .silent, pcm: nil)
        defer { bench.device.close() }
        let id = try bench.device.sounds.register(.silence(duration: .milliseconds(200)))
        var times: [Duration] = []
        for _ in 0..<rounds {
            let over = Semaphore()
            let called = bench.device.clock.now
            bench.device.sounds.start(id) { _ in over.signal() }
            over.wait()
            times.append(bench.device.clock.now - called)
        }
        show("silenced: call to completion", times)
    }

    static func warm(rounds: Int, pcm: String) throws {
        let bench = try Bench(pcm: pcm)
        defer { bench.device.close() }
        let files = try Files()
        let tone = PredefinedSound.named("Tock").flatMap { PredefinedSounds(directories: []).samples(of: $0) }
        let path = try files.write("tock.caf", tone ?? .silence(duration: .milliseconds(50)))
        let id = try bench.device.sounds.register(path)
        _ = bench.timeToFirstFrame(id)
        show("warm: call to first frame", (0..<rounds).compactMap { _ in bench.timeToFirstFrame(id) })
    }

    static func cold(rounds: Int, pcm: String) throws {
        let files = try Files()
        let path = try files.write("cold.caf", .silence(duration: .milliseconds(200)))
        var registered: [Duration] = []
        var predefined: [Duration] = []
        for _ in 0..<rounds {
            for isFile in [true, false] {
                let bench = try Bench(pcm: pcm)
                defer { bench.device.close() }
                let id = isFile ? try bench.device.sounds.register(path) : 1104
                guard let time = bench.timeToFirstFrame(id) else { continue }
                if isFile { registered.append(time) } else { predefined.append(time) }
            }
        }
        show("cold, a file: call to first frame", registered)
        show("cold, a predefined sound: call to first frame", predefined)
    }

    private static func show(_ what: String, _ times: [Duration]) {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return print("\(what): nothing was played") }
        func text(_ share: Double) -> String {
            let index = min(Int(Double(sorted.count) * share), sorted.count - 1)
            return "\((sorted[index] / .milliseconds(1) * 1e4).rounded(.down) / 1e4) ms"
        }
        print("\(what): median \(text(0.5)), 99 of 100 \(text(0.99)), worst \(text(1)), of \(sorted.count)")
    }
}
