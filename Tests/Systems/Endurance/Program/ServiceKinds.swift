import Glibc
import RingerLinux
import RingerBus
import RingerClient
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Synchronization

extension Kinds {
    /// The service over D-Bus: calls, signals, clients that come, die and stop reading, devices of the service, and restarts.
    static var service: [Kind] {
        [
            Kind(
                "methods of the service and the ends of what they began", share: 20,
                asynchronous: {
                    let bench = try ServiceBench()
                    bench.limitRecords()
                    let client = try bench.client()
                    let file = try PrivateFile(seconds: 0.01)
                    return { number in
                        let request = try await client.begin(number, file)
                        bench.board.ringSilent.position = Variations.positions[round: number, each: 5]
                        bench.clock.advance(by: .milliseconds(10))
                        if number % 10 == 9 {
                            _ = try await client.call(
                                "SetVolume", [.uint32(request), .double(Double(number % 4) / 4)])
                        }
                        if number % 3 == 0 { _ = try await client.call("Stop", [.uint32(request)]) }
                        try await bench.pass { try await client.expectEnds([request]) }
                        if number % 7 == 0 {
                            try await bench.pass { _ = try await client.call("ReleaseOutput") }
                        }
                    }
                }),
            Kind(
                "sessions of the service", share: 40,
                asynchronous: {
                    let bench = try ServiceBench()
                    bench.limitRecords()
                    let client = try bench.client()
                    return { number in
                        let (category, options) = Variations.categories[round: number]
                        let names = CategoryOptions.named.filter { options.contains($0.option) }.map {
                            BusValue.string($0.name)
                        }
                        let path =
                            try await client.call(
                                "CreateSession",
                                [
                                    .dictionary([
                                        "category": .string(category.rawValue), "options": .array(element: "s", names),
                                    ])
                                ])[0].string ?? ""
                        func fails(_ member: String, _ arguments: [BusValue] = []) async -> Bool {
                            await client.error(
                                member, arguments, interface: RingerNames.sessionInterface, path: path) != nil
                        }
                        if number % 4 == 0 {
                            _ = await fails("Resume", [.uint64(UInt64(number))])
                        } else {
                            _ = await fails("Activate")
                        }
                        if number % 3 == 0 {
                            let other = Variations.categories[round: number + 1].category.rawValue
                            try require(
                                await !fails("SetCategory", [.string(other), .strings([])]), "SetCategory \(other)")
                        }
                        if await !fails("Play", [.variant(.uint32(1_104)), .dictionary([:])]) {
                            try await bench.pass { _ = await client.ended() }
                        }
                        _ = try await client.call(
                            "GetAll", [.string(RingerNames.sessionInterface)], interface: BusInterface.properties,
                            path: path)
                        if number % 5 == 0 { _ = await fails("Deactivate", [.boolean(number % 2 == 0)]) }
                        _ = try await client.call("Release", interface: RingerNames.sessionInterface, path: path)
                    }
                }),
            Kind(
                "properties of the service that are read, set and signalled", share: 20,
                asynchronous: {
                    let bench = try ServiceBench()
                    let client = try bench.client()
                    let properties = BusInterface.ringer.properties.map(\.name)
                    return { number in
                        _ = try await client.property(properties[round: number])
                        _ = try await client.call(
                            "GetAll", [.string(RingerNames.interface)], interface: BusInterface.properties)
                        // The answer is longer than a client reads.
                        if number % 4 == 0 {
                            _ = await client.error("Introspect", interface: BusInterface.introspectable)
                        }
                        let sound = ["session", "systemSound", "alert", "notification", "vibration"][round: number]
                        _ = try await client.call("Decide", [.string(sound), .dictionary([:])])
                        let key = ["vibrateOnRing", "doNotDisturb", "soundEffects"][round: number]
                        let preferences = BusValue.dictionary([key: .boolean(number % 2 == 0)])
                        _ = try await client.call(
                            "Set", [.string(RingerNames.interface), .string("Preferences"), .variant(preferences)],
                            interface: BusInterface.properties)
                        bench.board.ringSilent.position = Variations.positions[round: number]
                        bench.board.surroundings.set(.headphoneInserted(number % 2 == 0))
                        bench.board.keys.press(.repeatAnnouncement)
                        bench.board.keys.release(.repeatAnnouncement)
                        bench.clock.advance(by: .milliseconds(10))
                        await client.flush()
                        try await client.drain()
                    }
                }),
            Kind(
                "calls that mean nothing, and are refused", share: 20,
                asynchronous: {
                    let bench = try ServiceBench()
                    let client = try bench.client()
                    return { number in
                        let wrong: [(String, [BusValue])] = [
                            ("NoSuchMethod", []), ("Play", [.uint32(1)]), ("Stop", [.uint32(.max)]),
                            ("Play", [.variant(.string("no such sound \(number)")), .dictionary([:])]),
                            ("Vibrate", [.string("1,2,x\(number)"), .dictionary([:])]),
                            ("Light", [.string("off and \(number)")]),
                            ("Alert", [.variant(.uint32(UInt32(number))), .dictionary(["limit": .double(-1)])]),
                            ("Decide", [.string("session"), .dictionary(["unknown \(number)": .boolean(true)])]),
                        ]
                        let (member, arguments) = wrong[round: number]
                        _ = await client.error(member, arguments)
                        try await client.drain()
                        withExtendedLifetime(bench) {}
                    }
                }),
            // Every request of many clients has one end, and nothing of those who left is counted any more.
            Kind(
                "clients of ringerd that come, call, stop reading, die and leave", share: 200,
                asynchronous: {
                    let bus = try TestBus()
                    let configuration = "/tmp/ringer-endurance-\(getpid()).conf"
                    try writeFile(fewClients, to: configuration)
                    let service = try ServiceProcess(bus, configuration: configuration)
                    let observer = try BusClient(bus.address)
                    try await service.serves(observer)
                    unlink(configuration)
                    Usage.count(service.process)
                    return { number in
                        try await withThrowingTaskGroup { group in
                            for index in 0..<clientCount {
                                group.addTask { try await live(number * clientCount + index, on: bus) }
                            }
                            try await group.waitForAll()
                        }
                        while try await observer.property("Requests") != .array(element: "(us)", []) {
                            try await observer.advance(.seconds(1))
                        }
                        try await observer.drain()
                        withExtendedLifetime(service) {}
                    }
                }),
            Kind(
                "devices of the service that are opened, used and closed", share: 40,
                asynchronous: {
                    let bench = try ServiceBench()
                    bench.limitRecords()
                    return { number in
                        let device = try await Device.connect(
                            to: .address(bench.bus.address), configuration: .init(observer: { _ in Depth.note() }))
                        try await device.use(number, on: bench)
                        if number % 3 > 0 { device.close() }
                    }
                }),
            Kind(
                "requests of a device of the service", share: 40,
                asynchronous: {
                    let bench = try ServiceBench()
                    bench.limitRecords()
                    let device = try await Device.connect(
                        to: .address(bench.bus.address), configuration: .init(observer: { _ in Depth.note() }))
                    return { number in try await device.use(number, on: bench) }
                }),
            Kind(
                "a service that crashes or ends and is started again under a connected device", share: 200,
                asynchronous: {
                    let bus = try TestBus()
                    let service = Mutex(try ServiceBench(bus: bus))
                    let device = try await Device.connect(
                        to: .address(bus.address), configuration: .init(observer: { _ in Depth.note() }))
                    let session = device.sessions.make(name: "music", category: .playback)
                    try await session.activate()
                    return { number in
                        let old = service.withLock { $0 }
                        if number % 2 == 0 { old.crash() } else { old.stop() }
                        try eventually("it loses the service") { !device.state.isSwitchConnected }
                        let new = try ServiceBench(bus: bus)
                        new.limitRecords()
                        service.withLock { $0 = new }
                        try eventually("it finds the service") { device.state.isSwitchConnected }
                        try await device.use(number, on: new)
                        withExtendedLifetime(session) {}
                    }
                }),
            Kind(
                "ringerd that is killed and started again under a connected device", share: 400,
                asynchronous: {
                    let bus = try TestBus()
                    let service = Mutex<ServiceProcess?>(try ServiceProcess(bus))
                    let client = try BusClient(bus.address)
                    try await service.withLock { $0 }?.serves(client)
                    let device = try await Device.connect(
                        to: .address(bus.address), configuration: .init(observer: { _ in Depth.note() }))
                    return { _ in
                        service.withLock { $0 = nil }
                        try eventually("it loses the service") { !device.state.isSwitchConnected }
                        let new = try ServiceProcess(bus)
                        service.withLock { $0 = new }
                        Usage.count(new.process)
                        try await new.serves(client)
                        try eventually("it finds the service") { device.state.isSwitchConnected }
                        try await client.drain()
                    }
                }),
        ]
    }
}

/// Waits until `condition` holds, in real time.
func eventually(_ what: String, _ condition: () -> Bool) throws {
    for _ in 0..<60_000 {
        guard !condition() else { break }
        usleep(1_000)
    }
    try require(condition(), "it never holds that \(what)")
}

extension ServiceBench {
    func limitRecords() {
        board.speaker.recordingLimit = 10
        board.motor.turnLimit = 10
        board.statusLight.shownLimit = 10
    }

    /// Moves the clock until `operation` is over.
    func pass(until operation: @escaping @Sendable () async throws -> Void) async throws {
        let isOver = Atomic(false)
        async let result: Void = {
            defer { isOver.store(true, ordering: .releasing) }
            try await operation()
        }()
        while !isOver.load(ordering: .acquiring) {
            clock.advance(by: .milliseconds(100))
            try await Task.sleep(for: .microseconds(200))
        }
        try await result
    }
}

/// How many clients there are at a time: with the one that looks on, as many as one user may have.
private let clientCount = 8

/// A configuration with which one client or session that is still counted after it has left keeps others out.
private let fewClients = """
    clients-per-user = \(clientCount + 1)
    sessions-per-user = \(clientCount)
    requests-per-user = \(clientCount * 8)

    """

/// One client, from its connecting to the bus until it leaves.
private func live(_ number: Int, on bus: TestBus) async throws {
    let client = try BusClient(bus.address, replyTimeout: nil)
    let file = try PrivateFile(seconds: 0.01)
    // The service learns later than the others that some have left.
    var attempts = 0
    while let error = await client.error("CreateSession", [.dictionary([:])]) {
        attempts += 1
        try require(error.hasSuffix(".LimitsExceeded") && attempts < 24_000, "client \(number): \(error)")
        try await Task.sleep(for: .milliseconds(5))
    }
    _ = try await client.call(
        "SetSwitch", [.string(number % 2 == 0 ? "ring" : "silent")], interface: RingerNames.simulatedBoardInterface)
    var running: Set<UInt32> = []
    for index in 0..<4 { running.insert(try await client.begin(number + index * 3, file)) }
    switch number % 3 {
    case 0: return client.close()
    case 1:
        client.block()
        usleep(2_000)
        client.unblock()
    default: break
    }
    try await client.advance(.seconds(40))
    try await client.expectEnds(running)
    client.close()
}

extension BusClient {
    /// Begins a request of the round's kind, which ends by itself.
    func begin(_ number: Int, _ file: PrivateFile? = nil) async throws -> UInt32 {
        let none = BusValue.dictionary([:])
        switch number % 10 {
        case 0: return try await play(.uint32(1_104))
        case 1: return try await play(.uint32(1_104), ["category": .string("ambient")])
        case 2: return try await request("Vibrate", [.string("100,50,\(100 + number % 50)"), none])
        case 3:
            let options = BusValue.dictionary(["limit": .double(0.3), "way": .string("both")])
            return try await request("Alert", [.variant(.uint32(1_104)), options])
        case 4: return try await request("Notify", [.variant(.string("")), none])
        case 5:
            let clips = BusValue.array(element: "v", [.variant(.uint32(1_104)), .variant(.uint32(1_104))])
            return try await request("Announce", [clips, none])
        case 6: return try await request("Detect", [])
        case 7:
            let light = try await request("Light", [.string(number % 3 == 0 ? "on" : "\(1 + number % 500),100")])
            _ = try await call("Stop", [.uint32(light)])
            return light
        case 8: return try await play(file.map { .descriptor($0.descriptor) } ?? .string("new-mail"))
        default: return try await play(.uint32(1_104), ["category": .string("playback"), "rounds": .uint32(2)])
        }
    }

    /// Waits for the ends of these requests, of which each has one.
    func expectEnds(_ requests: Set<UInt32>) async throws {
        var running = requests
        while !running.isEmpty {
            guard let ended = await ended() else { throw Unexpected("no Ended for the requests \(running.sorted())") }
            Depth.note()
            try require(running.remove(ended.request) != nil, "an Ended for \(ended.request), which is not running")
        }
    }

    /// Reads the signals that came before.
    func drain() async throws {
        let last = try await request("Vibrate", [.string("10"), .dictionary([:])])
        try await advance(.seconds(1))
        while let ended = await ended(), ended.request != last {}
    }
}

extension Device {
    /// Makes requests of the round's kind, and waits for their ends.
    func use(_ number: Int, on service: ServiceBench) async throws {
        let ends = Ends()
        switch number % 8 {
        case 0: try start(Variations.sounds[round: number], category: .playback, completion: ends.one())
        case 1: sounds.start(1_104, completion: ends.one())
        case 2: alerts.start(1_104, limit: .milliseconds(200), completion: ends.one())
        case 3: vibrator?.start(.standard, completion: ends.one())
        case 4: try announcements.add(Announcement(Variations.sounds[round: number]), completion: ends.one())
        case 5: muteDetector.measure(completion: ends.one())
        case 6: notifications.start(.standard, in: nil, completion: ends.one())
        default:
            let session = sessions.make(name: "session", category: .playback)
            session.activate(completion: ends.one())
            session.start(Variations.sounds[round: number], completion: ends.one())
            session.deactivate(completion: ends.one())
        }
        if number % 5 == 0 { preferences.soundEffects.toggle() }
        service.board.ringSilent.position = Variations.positions[round: number, each: 3]
        for _ in 0..<60_000 {
            guard !ends.areOver else { break }
            service.clock.advance(by: .milliseconds(100))
            usleep(500)
        }
        try ends.check()
    }
}
