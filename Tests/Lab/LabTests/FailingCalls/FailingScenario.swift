import RingerLinux

/// Something that a firmware does, while system calls fail from `begin` on.
enum FailingScenario: String, CaseIterable, Sendable {
    case open, named, flip, silentRoom, vibration, ledMotor, alert, detector, files
    /// Through dmix. The last one: a failure may leave dmix's own process behind, which keeps the card for later dmix PCMs.
    case announcements

    /// How many milliseconds after a flip to silent the device may be heard: 70 if nothing fails, since the line is debounced
    /// and a sample takes its time to the recorder; and what it takes to try again.
    var mayBeHeard: Int { self == .silentRoom ? 0 : 120 }

    /// Whether the switch forbids what is played.
    var isHeard: Bool {
        switch self {
        case .named, .flip, .silentRoom, .alert: true
        case .open, .vibration, .ledMotor, .announcements, .detector, .files: false
        }
    }

    func run(_ bench: FailingBench) throws {
        switch self {
        case .open:
            bench.begin()
            try bench.open(.init(pcm: "loopback", following: .all))
            bench.wait(50)
        case .named:
            bench.begin()
            try bench.open(
                .init(
                    ringSilent: try SwitchSpecification("gpio:ring-silent"),
                    motor: try MotorSpecification("gpio:vibrator"), statusLight: "none", pcm: "loopback"))
            try bench.device.start(Self.tone(500), category: .soloAmbient, completion: bench.request())
            try bench.device.vibrator?.start(
                try VibrationPattern(milliseconds: "100,50,100"), completion: bench.request())
            bench.wait(120)
            try bench.flip(to: .silent, LabBoard.rawSwitchLine)
            bench.wait(500)
        case .flip:
            try bench.open(.init(pcm: "loopback"))
            bench.begin()
            try bench.device.start(Self.tone(600), category: .soloAmbient, completion: bench.request())
            bench.wait(150)
            try bench.flip(to: .silent)
            bench.wait(500)
            try bench.flip(to: .ring)
            bench.wait(50)
            try bench.device.start(Self.tone(100), category: .soloAmbient, completion: bench.request())
            bench.wait(150)
        case .silentRoom:
            try bench.flip(to: .silent)
            bench.wait(50)
            bench.begin()
            try bench.open(.init(pcm: "loopback"))
            try bench.device.start(Self.tone(100), category: .soloAmbient, completion: bench.request())
            try bench.device.sounds.start(1005, completion: bench.request())
            try bench.device.alerts.start(1005, way: .both, limit: .milliseconds(200), completion: bench.request())
            bench.wait(300)
        case .vibration:
            try bench.open(.init(pcm: "null"))
            bench.begin()
            try Self.vibrate(bench)
        case .ledMotor:
            try bench.open(.init(motor: try MotorSpecification("led:vibrator"), pcm: "null"))
            bench.begin()
            try? bench.device.statusLight?.show(.blinking(on: .milliseconds(100), off: .milliseconds(100)))
            try Self.vibrate(bench)
        case .alert:
            try bench.open(.init(pcm: "loopback"))
            bench.begin()
            try bench.device.alerts.start(1005, way: .both, limit: nil, completion: bench.request())
            bench.wait(300)
            try bench.flip(to: .silent)
            bench.wait(500)
            try bench.device.alerts.stop()
            bench.wait(50)
        case .detector:
            try bench.open(.init(pcm: "loopback", following: [.volume, .input]))
            bench.begin()
            let measured: @Sendable (MuteReading) -> Void = bench.request()
            try bench.device.muteDetector.measure(completion: measured)
            bench.wait(300)
            let session = try bench.device.sessions.make(category: .playAndRecord)
            session.activate(completion: bench.request())
            try? bench.device.setOutputVolume(0.5)
            session.start(Self.tone(100), completion: bench.request())
            bench.wait(200)
            session.deactivate(completion: bench.request())
        case .files:
            let path = "\(Lab.temporaryFolder)/tone.wav"
            try bench.aside { try write(Self.tone(300), to: path) }
            try bench.open(.init(pcm: "loopback"))
            bench.begin()
            let id = try bench.device.sounds.register(path)
            try bench.device.sounds.start(id, completion: bench.request())
            bench.wait(200)
            let released: @Sendable (Bool) -> Void = bench.request()
            try bench.device.releaseOutput { released(true) }
            bench.wait(50)
        case .announcements:
            try bench.open(.init(pcm: "mixed"))
            bench.begin()
            let announcements = try bench.device.announcements
            for _ in 0..<2 { try announcements.add(Announcement(Self.tone(200)), completion: bench.request()) }
            bench.wait(100)
            let interruption = try bench.device.sessions.interruptionBegan()
            bench.wait(100)
            try bench.device.sessions.interruptionEnded(interruption)
            bench.wait(600)
        }
    }

    /// A pattern to its end, and one that is stopped.
    private static func vibrate(_ bench: FailingBench) throws {
        let vibrator = try bench.device.vibrator
        vibrator?.start(try VibrationPattern(milliseconds: "100,50,100"), completion: bench.request())
        bench.wait(300)
        vibrator?.start(try VibrationPattern(milliseconds: "2000"), completion: bench.request())
        bench.wait(100)
        vibrator?.stop()
        bench.wait(50)
    }

    private static func tone(_ milliseconds: Int) -> PCMBuffer {
        VirtualTime.DeviceSoundTests.sound(.milliseconds(milliseconds))
    }
}
