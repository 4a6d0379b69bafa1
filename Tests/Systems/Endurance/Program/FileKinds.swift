import Glibc
import RingerLinux
import RingerTestKit

extension Kinds {
    /// Sound files of every container and codec, damaged and missing ones among them.
    static var files: [Kind] {
        [
            Kind("sound files that are played, cancelled, damaged and missing", share: 8) {
                let folder = try SoundFolder()
                let bench = try BoardBench()
                let device = bench.device
                return { number in
                    let path = folder.file(round: number)
                    let task = Task { _ = try? await device.play(path, category: .playback) }
                    if number % 5 == 0 { task.cancel() }
                    try finish(moving: bench.clock) { await task.value }
                }
            },
            Kind("sound files that are registered, changed, heard and disposed of", share: 12) {
                let folder = try SoundFolder()
                let bench = try BoardBench { $0.sounds.cacheLimit = 4_096 }
                let linear = LinearPCM(.signedInteger, bytesPerSample: 2, byteOrder: .little)
                return { number in
                    let sounds = bench.device.sounds
                    let sound = Variations.sounds[round: number]
                    try folder.write(
                        SoundFiles.encode(sound, container: .wave, codec: .linearPCM(linear)), to: "changed.wav")
                    let path = number % 4 == 0 ? folder.path + "/changed.wav" : folder.file(round: number)
                    do {
                        let id = try sounds.register(path)
                        if number % 3 == 0 { try? sounds.prepare(id) }
                        sounds.start(id, completion: bench.ends.one())
                        bench.pass(number % 2 == 0 ? 60 : 1)
                        try sounds.dispose(id)
                    } catch is SystemSoundError {}
                    bench.pass(500)
                    try bench.ends.check()
                }
            },
            Kind("sound files that are read, decoded and refused", share: 6) {
                let folder = try SoundFolder()
                return { number in
                    do {
                        let path = folder.file(round: number)
                        switch number % 3 {
                        case 0: _ = try SoundLoader.load(path)
                        case 1: _ = try SoundLoader.info(path)
                        default: _ = try SoundLoader.load(path, maximumDuration: .milliseconds(15))
                        }
                    } catch is RingerError {}
                }
            },
        ]
    }
}
