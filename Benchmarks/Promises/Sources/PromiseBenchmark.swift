import Glibc
import RingerLinux
import Synchronization

/// Ringer's side of what `run` measures:
///
///     PromiseBenchmark sound PCM       plays to the PCM while the switch is at ring; it falls silent at the edge to silent
///     PromiseBenchmark motor           turns the motor for 1.0 s at the edge to silent
///     PromiseBenchmark cached ROUNDS PCM    from a call on another thread to a cached sound's first frame
///     PromiseBenchmark transitions ROUNDS   the longest transition at 64 sessions, 100 sounds and 1,000 announcements
///
/// The first two print "ready" and run until they are killed. `RINGER_BUSY` in the environment adds a thread with nice 19
/// that sets preferences without a pause.
@main
struct PromiseBenchmark {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("sound", 2): try follow(pcm: arguments[1]) { device in try device.start(tone(), category: .soloAmbient) }
        case ("motor", 1):
            let second = try VibrationPattern(milliseconds: "1000")
            try follow(pcm: nil, atRing: false) { device in device.vibrator?.start(second) }
        case ("cached", 3): try cached(rounds: Int(arguments[1]) ?? 1_000, pcm: arguments[2])
        case ("transitions", 2): try Transitions.measure(rounds: Int(arguments[1]) ?? 1_000)
        default: throw RingerError(.invalid, "read the arguments", "PromiseBenchmark")
        }
    }

    /// 60 s in which no sample is 0.
    private static func tone() -> PCMBuffer {
        PCMBuffer(sampleRate: 48_000, channels: 2, samples: Array(repeating: 1000, count: 2 * 48_000 * 60))
    }

    private static func follow(
        pcm: String?, atRing: Bool = true, _ act: @escaping @Sendable (Device) throws -> Void
    ) throws {
        let hardware = Device.Hardware(
            ringSilent: try SwitchSpecification("evdev:auto,name=silence-ringer"), pcm: pcm, realTimePriority: 10)
        try Device.run(hardware) { device in
            if getenv("RINGER_BUSY") != nil { setPreferences(of: device) }
            print("ready")
            fflush(nil)
            var last: SwitchPosition?
            for await state in device.states where state.ringSilent != last {
                if (state.ringSilent == .ring) == atRing, last != nil { try act(device) }
                last = state.ringSilent
            }
        }
    }

    private static func setPreferences(of device: Device) {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
                // SAFETY: retained below, for the life of the process.
                guard let context else { return nil }
                let device = Unmanaged<Device>.fromOpaque(context).takeUnretainedValue()
                while true { device.preferences.soundEffects.toggle() }
            }, Unmanaged.passRetained(device).toOpaque())
    }

    /// The time from the call to the first frame that ALSA accepted, which the sound thread stamps.
    private static func cached(rounds: Int, pcm: String) throws {
        struct Newest { var started: MonotonicTime?, hasEnded = false }
        let newest = Mutex(Newest())
        let device = try Device.open(
            Device.Hardware(pcm: pcm, realTimePriority: 10, linger: .seconds(60)),
            configuration: .init(observer: { event in
                switch event {
                case .playback(.started(let time), _): newest.withLock { $0.started = time }
                case .soundEnded: newest.withLock { $0.hasEnded = true }
                default: break
                }
            }))
        defer { device.close() }
        var times: [Int64] = []
        for round in -5..<rounds {
            newest.withLock { $0 = Newest() }
            let asked = MonotonicTime.now
            device.sounds.start(1104)
            while !newest.withLock({ $0.hasEnded }) { usleep(2_000) }
            // The first ones fill the cache and open the PCM.
            guard round >= 0, let started = newest.withLock({ $0.started }) else { continue }
            times.append((started.nanoseconds - asked.nanoseconds) / 1_000)
        }
        for time in times { print(time) }
    }
}
