import Glibc
import Logging
import RingerLinux
import RingerTestKit

extension Kinds {
    /// The board's events, observers, subscribers, the log, and devices that are opened and closed.
    static var board: [Kind] {
        [
            Kind("flips, bounces, unplugged, unreadable and overflowing switches") {
                let bench = try BoardBench()
                let problem = RingerError(.disconnected, "read", "switch")
                return { number in
                    let ringSilent = bench.board.ringSilent
                    bench.flip(to: Variations.positions[round: number])
                    switch number % 7 {
                    case 0:
                        ringSilent.unplug()
                        bench.pass(5)
                        ringSilent.plug()
                    case 1:
                        ringSilent.becomeUnreadable(number % 2 == 0 ? problem : nil)
                        bench.pass(5)
                        ringSilent.becomeReadable()
                    case 2: ringSilent.drop(number % 3 == 0 ? nil : number % 5 + 1)
                    case 3: ringSilent.moveUnnoticed(to: .ring)
                    case 4: ringSilent.settleTime = .milliseconds(number % 3)
                    default: break
                    }
                    ringSilent.reread()
                    bench.pass(10)
                }
            },
            Kind("jacks, volumes, routes, keys, locks, sleeps and lost sources") {
                let bench = try BoardBench()
                let format = SoundPortFormat(
                    sampleRate: 44_100, channels: 2, bufferDuration: .milliseconds(10), latency: .milliseconds(20))
                let lost = RingerError(.disconnected, "read", "jacks")
                return { number in
                    let isOn = number % 2 == 0
                    let changes: [DeviceStateChange] = [
                        .headphoneInserted(isOn), .microphoneInserted(isOn), .outputVolume(isOn ? 0.3 : nil),
                        .inputAvailable(isOn), .screenLocked(isOn), .route(AudioRoute.allCases[round: number]),
                        .routePresent(AudioRoute.allCases[round: number, each: 3], isOn), .otherAudioPlaying(isOn),
                        .outputFormat(format), .inputFormat(format), .outputLost(isOn),
                        .key(.repeatAnnouncement, isPressed: isOn, at: bench.clock.now), .wokeFromSleep,
                        isOn ? .lost(lost) : .found,
                    ]
                    bench.board.surroundings.set(changes[round: number, each: 2])
                    bench.board.surroundings.set(changes[round: number * 5])
                    if number % 9 == 0 { bench.clock.sleep(for: .seconds(3)) }
                    let volume = bench.device.state.outputVolume
                    if volume != nil { try bench.device.setOutputVolume(Float(number % 10) / 10) }
                    bench.pass(10)
                }
            },
            Kind("subscribers of states and events that come, read and go") { bench, number in
                var streams: [AsyncStream<DeviceEvent>] = []
                for index in 0..<number % 4 {
                    streams.append(index % 2 == 0 ? bench.device.events : bench.device.eventsFromPosition)
                }
                let states = bench.device.states
                bench.flip(to: Variations.positions[round: number])
                bench.pass(5)
                withExtendedLifetime((streams, states)) {}
            },
            Kind("tasks that wait for sounds, states, events and detections, and are cancelled", share: 4) {
                let bench = try BoardBench()
                let device = bench.device
                let session = device.sessions.make(category: .ambient)
                session.activate { _ in }
                return { number in
                    let task = Task {
                        switch number % 7 {
                        case 0: for await _ in device.events {}
                        case 1: for await _ in session.events {}
                        case 2: for await _ in device.states {}
                        case 3: _ = await session.play(Variations.sounds[3])
                        case 4: _ = await device.vibrate(.standard)
                        case 5: _ = await device.muteDetector.measure()
                        default: _ = try? await device.play(Variations.sounds[4], category: .ambient)
                        }
                    }
                    if number % 2 == 0 { bench.flip(to: Variations.positions[round: number, each: 3]) }
                    task.cancel()
                    try finish(moving: bench.clock) { await task.value }
                }
            },
            Kind("degraded problems and log lines, behind an observer that is slow at times", share: 2) {
                let bench = try BoardBench { configuration in
                    configuration.logger = Logger(label: "endurance") { _ in DepthLog() }
                }
                let codes: [RingerError.Code] = [.disconnected, .busy, .timedOut, .permissionDenied]
                return { number in
                    let error = RingerError(
                        codes[round: number], "read", "part \(number % 16)", errno: number % 2 == 0 ? .ioError : nil,
                        detail: number % 3 == 0 ? "detail \(number)" : nil)
                    bench.board.surroundings.set(.lost(error))
                    bench.board.ringSilent.becomeUnreadable(error)
                    bench.board.surroundings.set(.found)
                    bench.board.ringSilent.becomeReadable()
                    bench.pass(1)
                }
            },
            Kind("devices that are opened, used and closed, and openings that fail", share: 8) {
                { number in
                    let clock = VirtualClock()
                    let board = SimulatedBoard(
                        clock: clock, position: Variations.positions[round: number],
                        routes: number % 2 == 0 ? [.line: "line"] : [:])
                    let fails = number % 5 == 0
                    if fails { board.ringSilent.failStart(with: RingerError(.notFound, "open", "switch")) }
                    do {
                        let configuration = Device.Configuration(observer: { _ in Depth.note() })
                        let device = try Device.simulated(board, configuration: configuration)
                        let ends = Ends()
                        if number % 2 == 0 {
                            try device.start(Variations.sounds[round: number], completion: ends.one())
                            device.vibrator?.start(.standard, completion: ends.one())
                            device.muteDetector.measure(completion: ends.one())
                        }
                        if number % 3 == 0 {
                            _ = device.sessions.make(category: .playback)
                            let id = try device.sounds.register(Variations.sounds[3])
                            device.alerts.start(id, completion: ends.one())
                        }
                        if number % 4 == 0 {
                            try device.announcements.add(Announcement(Variations.sounds[1]), completion: ends.one())
                        }
                        clock.advance(by: .milliseconds(5))
                        if number % 7 != 0 { device.close() }
                        clock.advance(by: .milliseconds(5))
                        if number % 7 != 0 { try ends.check() }
                        try require(!fails, "a device without a switch was opened")
                    } catch let error as RingerError {
                        try require(fails && error.code == .notFound, "\(error)")
                    }
                }
            },
            Kind("switches and sources of ever new names", share: 4) {
                { number in
                    let clock = VirtualClock()
                    let board = SimulatedBoard(clock: clock)
                    var ports = Device.Ports(simulated: board)
                    ports.ringSilent = NamedPart(name: "switch \(number)")
                    ports.stateSources = [NamedPart(name: "source \(number)")]
                    let device = try Device(ports)
                    _ = device.state.ringSilentSource
                    device.close()
                }
            },
        ]
    }
}

/// A switch or a source whose name is its own.
private struct NamedPart: RingSilentSwitch, DeviceStateSource {
    let name: String

    func start(_ handler: @escaping @Sendable (SwitchEvent) -> Void) throws(RingerError) {
        handler(.position(.ring, at: .now))
    }

    func start(_ handler: @escaping @Sendable (DeviceStateChange) -> Void) throws(RingerError) {
        handler(.headphoneInserted(false))
    }

    func close() {}
}

/// A log that goes nowhere.
private struct DepthLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Depth.note()
        _ = "\(event.message)"
    }
}
