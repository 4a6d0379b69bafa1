// Renders every predefined sound and says how long each took:
// Benchmarks/SystemSounds/run [--sample-rate 44100] [--rounds 20]
import RingerLinux
import SystemSounds

func argument(_ name: String, default value: Int) -> Int {
    guard let index = CommandLine.arguments.firstIndex(of: name), index + 1 < CommandLine.arguments.count else {
        return value
    }
    return Int(CommandLine.arguments[index + 1]) ?? value
}

let sampleRate = Double(argument("--sample-rate", default: 48_000))
let rounds = max(argument("--rounds", default: 20), 1)
let predefined = PredefinedSounds(directories: [], sampleRate: sampleRate)
let clock = ContinuousClock()
var frames = 0
var rows: [(name: String, best: Duration, worst: Duration)] = []

for sound in PredefinedSound.all where predefined.source(of: sound) == .synthesized {
    var times: [Duration] = []
    for round in 0..<rounds {
        // The recipe is made again each time, as for a first play.
        times.append(
            clock.measure {
                let samples = predefined.samples(of: sound)
                if round == 0 { frames += samples?.frames ?? 0 }
            })
    }
    times.sort()
    rows.append((sound.name, times[0], times[times.count - 1]))
}

rows.sort { $0.best > $1.best }
for row in rows { print(row.name, "best", row.best, "worst", row.worst) }
let slowest = rows.map(\.worst).max() ?? .zero
print(
    "\(rows.count) sounds, \(Double(frames) / sampleRate) s in all at \(Int(sampleRate)) Hz; slowest of all \(slowest)")
