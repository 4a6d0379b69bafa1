// The time until system sounds start and complete, and the memory that they take:
//
//     Benchmarks/SystemSoundServices/run [--pcm default] [PART...]
//
// It plays on the paced test sink, and without `run` on the machine's default PCM. Each part runs alone when it is named:
// predefined, silenced, warm, cold. With --files DIR, the files that `ringer sounds --render DIR` wrote are
// registered. --realtime PRIORITY runs the sound thread with SCHED_FIFO.
import Glibc
import RingerLinux

func argument(_ name: String) -> String? {
    guard let index = CommandLine.arguments.firstIndex(of: name), index + 1 < CommandLine.arguments.count else {
        return nil
    }
    return CommandLine.arguments[index + 1]
}

let pcm = argument("--pcm") ?? "default"
let realTimePriority = argument("--realtime").flatMap { Int($0) }
let rounds = argument("--rounds").flatMap { Int($0) } ?? 200
let parts = ["predefined", "silenced", "warm", "cold"]
let named = parts.filter { CommandLine.arguments.contains($0) }

if let directory = argument("--files") { try Memory.files(in: directory) }
for part in named.isEmpty ? parts : named {
    switch part {
    case "predefined": try Memory.predefined()
    case "silenced": try Latency.silenced(rounds: rounds)
    case "warm": try Latency.warm(rounds: rounds, pcm: pcm)
    default: try Latency.cold(rounds: max(rounds / 4, 1), pcm: pcm)
    }
}
