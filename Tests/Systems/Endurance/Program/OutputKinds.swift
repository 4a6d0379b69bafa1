import Glibc
import PacedSupport
import RingerLinux
import RingerTestKit
import Synchronization

extension Kinds {
    /// Sounds on PCMs of ALSA, in real time: those of null and tee take everything at once.
    static var outputs: [Kind] {
        [
            Kind("PCMs of alternating formats and routes", share: 10) {
                let output = try ALSABench(routes: [.headphone: "tee:null,/dev/null"])
                return { number in
                    try output.play(
                        Variations.sounds[round: number],
                        PlaybackOptions(route: number % 3 == 0 ? .headphone : .speaker))
                }
            },
            Kind("PCMs whose preferred rate and period alternate", share: 20) {
                let output = try ALSABench(routes: [.headphone: "tee:null,/dev/null"])
                return { number in
                    let preferences = SessionPreferences(
                        sampleRate: Variations.rates[round: number],
                        ioBufferDuration: [0.005, 0.01, 0.02][round: number])
                    output.output.prefer(preferences)
                    let isAnswered = Latch()
                    output.output.ask(number % 2 == 0 ? .speaker : .headphone) { _ in
                        Depth.note()
                        isAnswered.open()
                    }
                    isAnswered.wait()
                    try output.play(Variations.sounds[round: number, each: 4])
                }
            },
            // 1,000 sounds of as many rates left 2,000 descriptors open.
            Kind("PCMs of ever other rates, with few descriptors", share: 10) {
                var limit = rlimit(rlim_cur: 128, rlim_max: 128)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let output = try ALSABench(linger: .seconds(2))
                return { number in
                    let rate = 8_000 + number % 2_000
                    try output.play(PCMBuffer(sampleRate: Double(rate), channels: 1, samples: [1, 2, 3]))
                }
            },
            Kind("PCMs that are missing, busy, unplugged or underrun, and their problems", share: 40) {
                try PacedSink.install()
                let names = [
                    "nowhere", PacedSink.name(.openError("ENODEV")), PacedSink.name(.openError("EBUSY")),
                    PacedSink.name(.fault(.gone, frame: 40)), PacedSink.name(.fault(.xrun, frame: 40), .waitsForWriter),
                    PacedSink.name(.fault(.unpaced, times: 0)),
                ]
                let outputs = try names.map { try ALSABench($0, busyPatience: .zero) }
                return { number in
                    try outputs[round: number].play(Variations.sounds[round: number, each: 6], mayFail: true)
                }
            },
            Kind("outputs that are opened, play and are closed", share: 10) {
                { number in
                    let bench = try ALSABench(["null", "tee:null,/dev/null", "nowhere"][round: number])
                    try bench.play(Variations.sounds[round: number], mayFail: number % 3 == 2)
                    if number % 2 == 0 { bench.output.close() }
                }
            },
            Kind("a device on ALSA: categories, flips, sessions and released outputs", share: 40) {
                let bench = try RealTimeBench()
                let session = bench.device.sessions.make(name: "call", category: .playAndRecord)
                return { number in
                    if number % 4 == 0 {
                        try session.setPreferredSampleRate(Variations.rates[round: number])
                        session.activate(completion: bench.ends.one())
                        session.start(Variations.sounds[round: number, each: 3], completion: bench.ends.one())
                    }
                    let (category, options) = Variations.categories[round: number]
                    try bench.device.start(
                        Variations.sounds[round: number], category: category, options: options,
                        completion: bench.ends.one())
                    if number % 5 == 0 { bench.board.ringSilent.position = Variations.positions[round: number] }
                    if number % 16 == 0 { bench.device.releaseOutput(completion: bench.ends.one()) }
                    if number % 4 == 3 { session.deactivate(completion: bench.ends.one()) }
                    try bench.ends.wait()
                }
            },
        ]
    }
}

/// An output whose handlers note how deep they are called.
final class ALSABench {
    let output: ALSASoundOutput

    init(
        _ pcm: String = "null", routes: [AudioRoute: String] = [:], busyPatience: Duration = .seconds(60),
        linger: Duration = .milliseconds(50)
    ) throws {
        try PacedSink.install()
        output = try ALSASoundOutput(pcm: pcm, routes: routes, busyPatience: busyPatience, linger: linger)
        output.reportProblems { _ in Depth.note() }
        output.follow { _ in Depth.note() }
    }

    /// Plays `sound` to its end.
    func play(_ sound: PCMBuffer, _ options: PlaybackOptions = PlaybackOptions(), mayFail: Bool = false) throws {
        let isOver = Latch()
        let failure = Mutex<RingerError?>(nil)
        let playback = output.play(sound, options) { event in
            Depth.note()
            guard case .ended(let end, _, _) = event else { return }
            if case .failed(let error) = end { failure.withLock { $0 = error } }
            isOver.open()
        }
        isOver.wait()
        withExtendedLifetime(playback) {}
        if let error = failure.withLock({ $0 }), !mayFail { throw error }
    }
}

/// A device in real time, whose speaker is an ALSA PCM that leads nowhere.
final class RealTimeBench {
    let loop: EventLoop
    let board: SimulatedBoard
    let device: Device
    let ends = Ends()

    init(_ pcm: String = "null") throws {
        try PacedSink.install()
        loop = try EventLoop(name: "endurance")
        board = SimulatedBoard(clock: loop)
        board.motor.turnLimit = 10
        let speaker = try ALSASoundOutput(
            pcm: pcm, routes: [.headphone: "tee:null,/dev/null"], linger: .milliseconds(50))
        var ports = Device.Ports(simulated: board) { [loop] in loop.close() }
        ports.speaker = speaker
        device = try Device(ports, configuration: .init(observer: { _ in Depth.note() }))
    }
}
