import RingerLinux
import RingerTestKit

extension Kinds {
    /// Sounds in categories, and predefined, registered and looped system sounds.
    static var sounds: [Kind] {
        [
            Kind("sounds of every format, category and end", share: 4) { bench, number in
                let (category, options) = Variations.categories[round: number]
                bench.flip(to: Variations.positions[round: number, each: 11])
                let isHeard = number % 7 == 6 && category == .playback && options.isEmpty
                let id = try bench.play(Variations.sounds[round: number, each: 3], category, options, for: 5) {
                    !isHeard || $0 == .finished
                }
                switch number % 7 {
                case 0: bench.device.player.stop(id)
                case 1: bench.flip(to: .silent)
                case 2: bench.device.setScreenLocked(true)
                case 3: bench.device.stopAll()
                case 4: bench.device.releaseOutput { Depth.note() }
                case 5: bench.device.setRoute(AudioRoute.allCases[round: number])
                default: break
                }
                bench.pass(60)
                bench.device.setScreenLocked(false)
                bench.device.setRoute(.speaker)
                try bench.ends.check()
            },
            Kind("sounds on routes that have PCMs of their own", share: 4) {
                let bench = try BoardBench(routes: [.headphone: "headphone", .line: "line"])
                return { number in
                    bench.board.surroundings.set(.headphoneInserted(number % 2 == 0))
                    bench.board.surroundings.set(.routePresent(.line, number % 3 == 0))
                    _ = try bench.play(Variations.sounds[round: number], for: 5)
                    bench.board.surroundings.set(.headphoneInserted(number % 5 == 0))
                    bench.pass(60)
                    try bench.ends.check()
                }
            },
            Kind("sounds on a speaker that fails, hangs, is busy or comes late", share: 5) {
                let bench = try BoardBench()
                let faults: [SimulatedSoundOutput.Fault?] = [
                    nil, .underrun(frame: 40), .suspend(frame: 40, for: .milliseconds(20)), .gone(frame: 40),
                    .stall(frame: 40), .busyFor(.milliseconds(30)), .busyFor(.seconds(5)), .missing, .unpaced,
                ]
                return { number in
                    let fault = faults[round: number]
                    bench.board.speaker.fault = fault
                    bench.board.speaker.answerDelay = .milliseconds(number % 3)
                    let id = try bench.play(Variations.sounds[round: number, each: 2], for: 5)
                    bench.pass(10_000)
                    if case .stall = fault { bench.device.player.stop(id) }
                    bench.pass(10)
                    try bench.ends.check()
                }
            },
            Kind("system sounds that are registered, heard with a completion and disposed of", share: 2) {
                bench, number in
                let sounds = bench.device.sounds
                let id = try sounds.register(Variations.sounds[round: number])
                try sounds.setIsUISound(number % 2 == 0, of: id)
                try sounds.setCompletesPlaybackIfAppDies(number % 3 == 0, of: id)
                if number % 4 != 0 { try sounds.addCompletion(for: id) { _, _ in Depth.note() } }
                let uses: [SystemSoundServices.Use] = [.sound, .alert]
                let call = sounds.start(
                    id, as: uses[round: number, each: 5],
                    completion: bench.ends.one { number % 5 < 3 || $0.outcome == .finished })
                bench.pass(5)
                switch number % 5 {
                case 0: sounds.stop(call)
                case 1: sounds.removeCompletion(for: id)
                case 2: sounds.stopAll()
                default: bench.pass(60)
                }
                try sounds.dispose(id)
                bench.pass(500)
                try bench.ends.check()
            },
            Kind("predefined system sounds, unknown ones and vibrations", share: 40) {
                let bench = try BoardBench()
                let ids = PredefinedSound.all.map(\.id) + [0, 4_000, 4_095, 999_999]
                return { number in
                    bench.flip(to: Variations.positions[round: number, each: 7])
                    bench.device.sounds.start(
                        SystemSoundID(rawValue: ids[round: number]), as: number % 2 == 0 ? .sound : .alert,
                        completion: bench.ends.one())
                    if number % 16 == 0 { bench.device.sounds.startVibration(completion: bench.ends.one()) }
                    bench.pass(20_000)
                    try bench.ends.check()
                }
            },
            Kind("system sounds that start themselves again", share: 10) { bench, number in
                let sounds = bench.device.sounds
                let id = try sounds.register(Variations.sounds[round: number])
                try sounds.addCompletion(for: id) { [weak sounds] id, _ in
                    Depth.note()
                    sounds?.start(id)
                }
                if number % 3 == 0 { bench.flip(to: .silent) }
                sounds.start(id)
                bench.pass(60)
                sounds.removeCompletion(for: id)
                bench.flip(to: .ring)
                bench.pass(60)
                try sounds.dispose(id)
            },
        ]
    }
}
