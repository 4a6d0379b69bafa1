import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import RingerTestKit
import ServiceSupport
import SessionProperties
import Synchronization
import Testing

@testable import RingerClient

/// A device over the service: its state and requests while the service disappears and returns.
@Suite struct ConnectionTests {
    private let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))

    /// A service, and a device that is connected to it.
    private func connected() async throws -> (ServiceBench, Device) {
        let service = try ServiceBench()
        return (service, try await Device.connect(to: .address(service.bus.address), clock: service.clock))
    }

    /// The next event of `events` for which `matches` is true.
    private func next(_ events: AsyncStream<DeviceEvent>, _ matches: (DeviceEvent) -> Bool) async -> DeviceEvent? {
        for await event in events where matches(event) { return event }
        return nil
    }

    @Test("without a service, and without one that the bus can start, there is nothing to connect to")
    func missing() async throws {
        let bus = try TestBus()
        let error = await #expect(throws: RingerError.self) { try await Device.connect(to: .address(bus.address)) }
        #expect(error?.code == .notFound && error?.subject == RingerNames.service)
        let nowhere = await #expect(throws: RingerError.self) {
            try await Device.connect(to: .address("unix:path=/nowhere"))
        }
        #expect(nowhere?.code == .notFound)
    }

    @Test("the position that a program sets is every program's, and stays while the service is away")
    func keptPosition() async throws {
        let (service, device) = try await connected()
        let bus = service.bus
        let other = try await Device.connect(to: .address(bus.address), clock: service.clock)
        #expect(device.state.keptPosition == nil)
        try await device.setPosition(.silent)
        // The state of the service is published before it replies.
        #expect(device.state.keptPosition == .silent && service.device.state.keptPosition == .silent)
        #expect(device.decide(.systemSound()) == .silence(.softwareSilent))
        try await other.togglePosition()
        #expect(other.state.keptPosition == .ring && service.device.state.keptPosition == .ring)
        try await other.setPosition(.vibrate)
        let events = device.events
        service.crash()
        let degraded = await next(events) { if case .degraded = $0 { true } else { false } }
        #expect(degraded != nil && device.state.keptPosition == .vibrate)
        let error = await #expect(throws: RingerError.self) { try await device.setPosition(.ring) }
        #expect(error?.subject == RingerNames.service)
        #expect(device.state.keptPosition == .vibrate)
        // The next one has kept none.
        let second = try ServiceBench(clock: service.clock, bus: bus)
        try await eventually("the position is gone") { device.state.keptPosition == nil }
        #expect(device.decide(.systemSound()).isHeard)
        try await device.setPosition(.silent)
        #expect(second.device.state.keptPosition == .silent)
    }

    @Test("a position that ends by itself is the service's, with its end, for every program")
    func timedPosition() async throws {
        let (service, device) = try await connected()
        let bus = service.bus
        let other = try await Device.connect(to: .address(bus.address), clock: service.clock)
        let now = service.clock.wallTime.components.seconds
        try await device.setPosition(.silent, until: now + 60)
        #expect(device.state.keptPositionUntil == now + 60)
        #expect(device.state.effectivePosition(device.preferences).until == now + 60)
        try await eventually("the other one knows it") { other.state.keptPositionUntil == now + 60 }
        for until in [now, -1, .max] {
            let error = await #expect(throws: RingerError.self) { try await device.setPosition(.ring, until: until) }
            #expect(error?.code == .invalid, "\(until)")
        }
        service.clock.advance(by: .seconds(60))
        try await eventually("it has ended") {
            [device, other].allSatisfy { $0.state.keptPosition == .ring && $0.state.keptPositionUntil == nil }
        }
    }

    @Test(
        "the quiet hours are the service's: what they ask for and until when, at once at each boundary, for every program"
    )
    func quietHours() async throws {
        let bus = try TestBus()
        let service = try ServiceBench(bus: bus)
        let midnight = Duration.seconds(1_767_225_600)
        service.clock.setWallTime(midnight + .seconds(22 * 3_600 - 2))
        let device = try await Device.connect(to: .address(bus.address), clock: service.clock)
        var preferences = device.preferences
        preferences.quietHours = try QuietHours("daily 22:00-07:00")
        device.preferences = preferences
        try await eventually("the service has them") { service.device.preferences == preferences }
        service.settle(with: device)
        #expect(device.decide(.systemSound()).isHeard && device.state.quietHours == nil)
        let session = device.sessions.make(name: "music", category: .ambient)
        try await session.activate()
        let results = Results<SoundResult>()
        session.start(PCMBuffer(sampleRate: 8_000, channels: 1, samples: [Int16](repeating: 7, count: 80_000))) {
            results.append($0)
        }
        service.settle(with: device)
        service.clock.advance(by: .seconds(2))
        service.settle(with: device)
        #expect(service.board.speaker.playing.isEmpty)
        #expect(results.all.map(\.outcome) == [.silenced(by: .quietHours)])
        try await eventually("it is quiet") { device.state.quietHours == .silent }
        let end: Int64 = 1_767_225_600 + 31 * 3_600
        #expect(device.state.quietHoursUntil == end)
        #expect(device.decide(.systemSound()) == .silence(.quietHours))
        // One that connects now knows it from the start.
        let other = try await Device.connect(to: .address(bus.address), clock: service.clock)
        #expect(other.state.quietHours == .silent && other.state.quietHoursUntil == device.state.quietHoursUntil)
        let client = try BusClient(bus.address)
        #expect(try await client.property("EffectivePosition")?.string == "silent")
        #expect(try await client.property("SilencedBy")?.strings == ["quietHours"])
        service.board.ringSilent.position = .silent
        service.settle(with: device)
        #expect(try await client.property("SilencedBy")?.strings == ["switch", "quietHours"])
        service.clock.setWallTime(midnight + .seconds(31 * 3_600))
        try await eventually("it is day") { device.state.quietHours == nil && other.state.quietHours == nil }
        #expect(device.state.quietHoursUntil == nil)
        #expect(try await client.property("SilencedBy")?.strings == ["switch"])
        #expect(try await client.property("QuietHoursUntil") == .uint64(0))
    }

    @Test("when the service disappears its sounds fail, and when it returns sessions are active again")
    func serviceReturns() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        let results = Results<SoundResult>()
        session.start(tone) { results.append($0) }
        let vibrations = Results<SoundOutcome>()
        device.vibrator?.start(try VibrationPattern(milliseconds: "5000")) { vibrations.append($0) }
        first.settle(with: device)
        first.clock.advance(by: .milliseconds(50))
        #expect(first.board.speaker.playing.count == 1 && first.board.motor.isOn)
        try device.statusLight?.show(.on)
        let events = device.events
        first.crash()
        let degraded = await next(events) { if case .degraded = $0 { true } else { false } }
        #expect(degraded.map { "\($0)".contains(RingerNames.service) } == true)
        while results.all.isEmpty || vibrations.all.isEmpty { await Task.yield() }
        guard case .failed(let error)? = results.all.first?.outcome, case .failed? = vibrations.all.first else {
            Issue.record("\(results.all) \(vibrations.all)")
            return
        }
        #expect(error.code == .disconnected)
        let refused = try await device.play(tone, category: .playback)
        guard case .failed = refused.outcome else {
            Issue.record("\(refused.outcome)")
            return
        }
        #expect(device.state.isSwitchConnected == false)

        let second = try ServiceBench(bus: bus)
        _ = await next(events) { if case .switchFound = $0 { true } else { false } }
        while second.device.sessions.all.filter({ $0.isActive && $0.name == "music" }).isEmpty { await Task.yield() }
        #expect(session.isActive && device.state.isSwitchConnected && device.state.ringSilent == .ring)
        while second.board.statusLight.pattern != .on { await Task.yield() }
        session.start(tone)
        second.settle(with: device)
        second.clock.advance(by: .milliseconds(50))
        #expect(second.board.speaker.playing.count == 1)
        device.close()
    }

    @Test(
        "a session has the state that was asked for last, and each request is answered, in order",
        arguments: Connection.allCases)
    func activity(_ connection: Connection) async throws {
        let bench = try await DeviceBench(connection)
        let session = bench.device.sessions.make(name: "music", category: .playback)
        let answers = Results<String>()
        session.activate { answers.append("on \($0 == nil)") }
        session.deactivate { answers.append("off \($0 == nil)") }
        bench.advance(.zero)
        #expect(answers.all == ["on true", "off true"])
        #expect(!session.isActive && bench.service?.device.sessions.all.contains(where: \.isActive) != true)
        session.deactivate { answers.append("off \($0 == nil)") }
        session.activate { answers.append("on \($0 == nil)") }
        session.deactivate { answers.append("off \($0 == nil)") }
        session.activate { answers.append("on \($0 == nil)") }
        bench.advance(.zero)
        #expect(answers.all.dropFirst(2) == ["off true", "on true", "off true", "on true"])
        #expect(session.isActive && bench.service?.device.sessions.all.contains(where: \.isActive) != false)
    }

    // The next service would activate it, and keep it active for a program that knows nothing of that.
    @Test("a session whose activation ended with the service is inactive at the next one")
    func activationIsLost() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        let session = device.sessions.make(name: "music", category: .playback)
        first.board.speaker.answerDelay = .seconds(1)
        let answers = Results<String>()
        session.activate { answers.append("\($0?.code, default: "active")") }
        while first.device.sessions.all.filter(\.isActive).isEmpty { await Task.yield() }
        #expect(answers.all.isEmpty)
        first.crash()
        while answers.all.isEmpty { await Task.yield() }
        let second = try ServiceBench(clock: first.clock, bus: bus)
        while !device.state.isSwitchConnected { await Task.yield() }
        second.settle(with: device)
        #expect(second.device.sessions.all.map(\.phase) == [.inactive] && !session.isActive)
        #expect(answers.all != ["active"])
        device.close()
    }

    // It stopped the request to which the service, which counts anew, has given the same number.
    @Test("stopping what ended with the service stops nothing of the next one")
    func numbersOfTheServiceBefore() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        let link = try #require(device.service as? ConnectedDevice).link
        func vibrate() -> ServiceLink.Request? {
            nonisolated(unsafe) var request: ServiceLink.Request?
            link.loop.sync {
                request = link.request(
                    RingerNames.path, RingerNames.interface, "Vibrate", [.string("5000"), .dictionary([:])]
                ) { _ in }
            }
            return request
        }
        nonisolated(unsafe) let old = try #require(vibrate())
        first.settle(with: device)
        first.clock.advance(by: .zero)
        #expect(first.board.motor.isOn)
        first.crash()
        let second = try ServiceBench(clock: first.clock, bus: bus)
        second.settle(with: device)
        while !device.state.isSwitchConnected { await Task.yield() }
        _ = vibrate()
        second.clock.advance(by: .zero)
        link.loop.sync { link.stop(old) }
        second.clock.advance(by: .zero)
        #expect(second.board.motor.isOn)
        device.close()
    }

    // Anybody may send a signal to anybody, and a client used to believe it.
    @Test("signals that somebody else sends in the service's name change nothing, and end nothing")
    func forgedSignals() async throws {
        let bench = try ServiceBench(bus: .system())
        let nobody = try bench.client(as: .nobody)
        let device = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        let results = Results<SoundResult>()
        session.start(tone) { results.append($0) }
        bench.settle(with: device)
        let events = device.events
        let (name, path) = (RingerNames.service, RingerNames.path)
        let owner = try await nobody.bus("GetNameOwner", [.string(name)])?.string ?? ""
        for program in try await nobody.everybody() {
            try await nobody.signal(
                path, BusInterface.properties, "PropertiesChanged",
                [.string(name), .dictionary(["SwitchPosition": .string("silent")]), .strings([])], to: program)
            for request in 1...4 as ClosedRange<UInt32> {
                try await nobody.signal(
                    path, name, "Ended",
                    [.uint32(request), .string("finished"), .string(""), .dictionary([:])], to: program)
            }
            try await nobody.signal(
                path, name, "Key", [.string("silence"), .boolean(true), .uint64(1)], to: program)
            try await nobody.signal(
                path + "/session/1", RingerNames.sessionInterface, "InterruptionBegan", [.string("call")], to: program)
            try await nobody.signal(
                "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
                [.string(name), .string(owner), .string("")], to: program)
        }
        bench.settle(with: device)
        #expect(device.state.ringSilent == .ring && device.state.isSwitchConnected)
        #expect(results.all.isEmpty && session.isActive)
        bench.board.keys.press(.repeatAnnouncement)
        bench.settle(with: device)
        let key = await next(events) { event in
            switch event {
            case .key, .degraded: true
            default: false
            }
        }
        guard case .key(.repeatAnnouncement, true, _)? = key else {
            Issue.record("\(String(describing: key))")
            return
        }
        bench.clock.advance(by: .seconds(2))
        bench.settle(with: device)
        #expect(results.all.map(\.outcome) == [.finished])
        device.close()
    }

    @Test("the volume is set in the service's mixer, and its refusal is thrown")
    func volume() async throws {
        let bench = try ServiceBench()
        let device = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        try device.setOutputVolume(0.5)
        #expect(device.state.outputVolume == 0.5)
        #expect(bench.device.state.outputVolume == 0.5)
        bench.board.surroundings.set(.outputVolume(nil))
        let error = try #require(throws: RingerError.self) { try device.setOutputVolume(1) }
        #expect(error.code == .notFound && "\(error)".contains("simulated mixer"))
        device.close()
    }

    // The service used to keep it for 2 s, while which a call had no sound.
    @Test(
        "releaseOutput returns once the service's PCM is closed, after a sound that is stopped and one that was played",
        arguments: [true, false])
    func releaseOutput(isPlaying: Bool) async throws {
        let bench = try ServiceBench()
        bench.board.speaker.mixes = false
        let device = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        let results = Results<SoundResult>()
        try device.start(tone, category: .playback) { results.append($0) }
        bench.settle(with: device)
        bench.clock.advance(by: .milliseconds(isPlaying ? 50 : 1500))
        bench.settle(with: device)
        #expect(bench.board.speaker.isOpen && results.all.isEmpty == isPlaying)
        let isOpen = Results<Bool>()
        device.releaseOutput { isOpen.append(bench.board.speaker.isOpen) }
        bench.settle()
        while isOpen.all.isEmpty { await Task.yield() }
        #expect(isOpen.all == [false])
        #expect(results.all.map(\.outcome) == [isPlaying ? .stopped(.outputReleased) : .finished])
        device.close()
    }

    @Test("releaseOutput stops no sound of another process, and does not wait for it")
    func releaseOutputBesideOthers() async throws {
        let bench = try ServiceBench()
        let other = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        let device = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        try other.start(tone, category: .playback)
        bench.settle(with: device, other)
        bench.clock.advance(by: .milliseconds(50))
        await device.releaseOutput()
        #expect(bench.board.speaker.playing.count == 1)
        device.close()
        other.close()
    }

    @Test("releaseOutput returns when the service is gone, or the device is closed", arguments: [true, false])
    func releaseOutputAtTheEnd(isGone: Bool) async throws {
        let bench = try ServiceBench()
        let device = try await Device.connect(to: .address(bench.bus.address), clock: bench.clock)
        try device.start(tone, category: .playback)
        bench.settle(with: device)
        bench.clock.advance(by: .milliseconds(50))
        let isReleased = Results<Bool>()
        // The clock stands still: the sound does not end.
        device.releaseOutput { isReleased.append(true) }
        if isGone { bench.crash() } else { device.close() }
        while isReleased.all.isEmpty { await Task.yield() }
        await device.releaseOutput()
        device.close()
    }

    @Test("a session that was interrupted when the service disappeared is active again when it returns")
    func interruptedSession() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        let music = device.sessions.make(name: "music", category: .playback)
        let call = first.device.sessions.make(name: "call", category: .playback)
        try await music.activate()
        try await call.activate()
        while !music.isInterrupted { await Task.yield() }
        first.crash()
        while device.state.isSwitchConnected { await Task.yield() }
        let second = try ServiceBench(bus: bus)
        while !music.isActive { await Task.yield() }
        #expect(second.device.sessions.all.filter(\.isActive).map(\.name) == ["music"])
        device.close()
    }

    @Test("an announcement that is refused again, since the next call has begun, is played after that call")
    func refusedAgain() async throws {
        let service = try ServiceBench()
        service.board.surroundings.set(.inputAvailable(true))
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
        service.settle(with: device)
        let calls = (1...2).map {
            service.device.sessions.make(name: "call \($0)", category: .playAndRecord, priority: .call)
        }
        try await calls[0].activate()
        let results = Results<SoundResult>()
        try device.announcements.add(Announcement(tone)) { results.append($0) }
        service.settle()
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let hasBegun = Latch()
        // What the service sends meanwhile arrives once the second call has begun.
        link.loop.execute { hasBegun.wait() }
        try await calls[0].deactivate()
        try await calls[1].activate()
        hasBegun.open()
        service.clock.advance(by: .seconds(5))
        #expect(results.all.isEmpty && device.announcements.count == 1 && calls[1].isActive)
        try await calls[1].deactivate()
        service.clock.advance(by: .seconds(5))
        #expect(results.all.map(\.outcome) == [.finished])
        device.close()
    }

    @Test("an announcement that waits when the service disappears is played after a call that the next one has, too")
    func refusedByTheNext() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        first.settle(with: device)
        first.board.surroundings.set(.inputAvailable(true))
        let firstCall = first.device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        try await firstCall.activate()
        let results = Results<SoundResult>()
        try device.announcements.add(Announcement(tone)) { results.append($0) }
        first.settle()
        first.crash()
        while device.state.isSwitchConnected { await Task.yield() }
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let hasBegun = Latch()
        link.loop.execute { hasBegun.wait() }
        let second = try ServiceBench(bus: bus)
        second.board.surroundings.set(.inputAvailable(true))
        let call = second.device.sessions.make(name: "call", category: .playAndRecord, priority: .call)
        try await call.activate()
        hasBegun.open()
        while !device.state.isSwitchConnected { await Task.yield() }
        second.settle(with: device)
        second.clock.advance(by: .seconds(5))
        #expect(results.all.isEmpty && device.announcements.count == 1 && call.isActive)
        try await call.deactivate()
        second.clock.advance(by: .seconds(5))
        #expect(results.all.map(\.outcome) == [.finished])
        device.close()
    }

    // They waited for ever: no change of other sessions makes one.
    @Test("announcements for which the service makes no session fail, one after another, and say why")
    func noSession() async throws {
        let service = try ServiceBench(limits: .init([.sessions: 0]))
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
        service.settle(with: device)
        let results = Results<SoundResult>()
        for _ in 0..<2 { try device.announcements.add(Announcement(tone)) { results.append($0) } }
        for _ in 0..<3 {
            service.settle(with: device)
            service.clock.advance(by: .seconds(1))
        }
        #expect(results.all.count == 2 && device.announcements.count == 0)
        for result in results.all {
            #expect("\(result.outcome)".contains("sessions-per-user is used up"), "\(result.outcome)")
        }
        device.close()
    }

    @Test("a session that may no longer be active when the service agrees lets others go on")
    func refusedMeanwhile() async throws {
        let (service, device) = try await connected()
        service.settle(with: device)
        let music = service.device.sessions.make(name: "music", category: .playback)
        try await music.activate()
        let session = device.sessions.make(name: "prompt", category: .playback)
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let isBegun = Latch()
        link.loop.execute { isBegun.wait() }
        let answers = Results<SessionError?>()
        session.activate { answers.append($0) }
        let interruption = device.sessions.interruptionBegan()
        isBegun.open()
        service.settle()
        while answers.all.isEmpty { await Task.yield() }
        #expect(answers.all.map { $0?.code } == [.notActive])
        #expect(music.isActive && service.device.sessions.all.filter(\.isActive).map(\.name) == ["music"])
        device.sessions.interruptionEnded(interruption)
        #expect(!session.isActive)
        device.close()
    }

    // The error used to contain the service's whole sentence: "cannot activate: '!act' (session 1: cannot activate: ...".
    @Test("the service's refusal of a session says once what failed, and why")
    func refusal() async throws {
        let (service, device) = try await connected()
        service.settle(with: device)
        let interruption = service.device.sessions.interruptionBegan()
        let session = device.sessions.make(name: "prompt", category: .playback)
        let error = await #expect(throws: SessionError.self) { try await session.activate() }
        #expect(
            error.map { "\($0)" }
                == "session \(session.id.rawValue): cannot activate: '!act' (an interruption from outside is under way)"
        )
        service.device.sessions.interruptionEnded(interruption)
        let recorder = device.sessions.make(name: "recorder", category: .record)
        let noInput = await #expect(throws: SessionError.self) { try await recorder.activate() }
        #expect(noInput.map { "\($0)".split(separator: "cannot").count } == 2, "\(String(describing: noInput))")
        device.close()
    }

    @Test("a change of the service's preferences is an event of each of its clients")
    func preferences() async throws {
        let (service, device) = try await connected()
        let other = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
        let (events, others) = (device.events, other.events)
        other.preferences.doNotDisturb = true
        for stream in [events, others] {
            let event = await next(stream) { if case .preferencesChanged = $0 { true } else { false } }
            guard case .preferencesChanged(let preferences, _)? = event else { break }
            #expect(preferences.doNotDisturb)
        }
        #expect(device.decide(.alert) == .silence(.doNotDisturb))
        device.close()
        other.close()
    }

    // Each answer began the next request before it returned: thousands overflowed the stack.
    @Test("any number of requests that are refused one after another are answered")
    func manyRefused() async throws {
        let (service, device) = try await connected()
        service.settle(with: device)
        let session = device.sessions.make(name: "prompt", category: .playback)
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let isBegun = Latch()
        link.loop.execute { isBegun.wait() }
        let answers = Results<SessionError.Code?>()
        for _ in 0..<5000 { session.activate { answers.append($0?.code) } }
        _ = device.sessions.interruptionBegan()
        isBegun.open()
        while answers.all.count < 5000 { await Task.yield() }
        #expect(answers.all.allSatisfy { $0 == .notActive })
        device.close()
    }

    @Test("the requests of a session that is given up before the service has made it are answered, once each")
    func givenUp() async throws {
        let (service, device) = try await connected()
        service.settle(with: device)
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let isGivenUp = Latch()
        link.loop.execute { isGivenUp.wait() }
        let answers = Results<String>()
        do {
            let session = device.sessions.make(name: "music", category: .playback)
            session.activate { answers.append("on \($0 == nil)") }
            session.deactivate { answers.append("off \($0 == nil)") }
            session.start(tone) { _ in answers.append("sound") }
        }
        isGivenUp.open()
        service.settle()
        while answers.all.count < 3 { await Task.yield() }
        service.settle()
        #expect(Set(answers.all) == ["on false", "off false", "sound"] && answers.all.count == 3)
        #expect(!service.device.sessions.all.contains { !$0.isOwn })
        device.close()
    }

    @Test("a session's listener learns that the service died, and that it is there again")
    func died() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        let session = device.sessions.make(name: "music", category: .playback)
        let changes = Results<SessionPropertyValue>()
        try session.addListener("died") { changes.append($0.change.value) }
        try await session.activate()
        first.crash()
        while changes.all.isEmpty { await Task.yield() }
        #expect(changes.all == [.uint32(1)])
        // What the hardware granted last is still known: a program may divide by it.
        #expect(session.sampleRate == 48_000)
        let second = try ServiceBench(bus: bus)
        while changes.all.count < 2 { await Task.yield() }
        #expect(changes.all == [.uint32(1), .uint32(0)] && session.sampleRate == 48_000)
        device.close()
        second.stop()
    }

    /// A service that fails to report its properties, for a while.
    // SAFETY: all state but the counters is used on the loop's thread alone.
    private final class FailingService: @unchecked Sendable {
        let asked = Atomic(0)
        /// The sessions that were made.
        let sessions = Atomic(0)
        /// The preferences that were set, by their names.
        let preferences = Results<[String]>()
        /// The other calls, and what each sound is to be judged as.
        let calls = Results<String>()
        private let position: String
        private let loop: EventLoop
        private var connection: BusConnection?
        private var served: BusConnection.Registration?

        init(_ bus: TestBus, failures: Int, position: String = "silent", others: [String: BusValue] = [:]) throws {
            self.position = position
            loop = try EventLoop(name: "failing")
            try loop.syncThrowing { [self] () throws(RingerError) in
                let connection = try BusConnection.connect(.address(bus.address), on: loop)
                self.connection = connection
                served = try connection.serve(RingerNames.path) { [unowned self] message in
                    if message.member == "CreateSession" {
                        let number = sessions.wrappingAdd(1, ordering: .relaxed).newValue
                        connection.reply(to: message, [.objectPath("\(RingerNames.path)/session/\(number)")])
                        return true
                    }
                    if message.member == "Set" {
                        let value = (try? message.read())?.last?.contents.dictionary ?? [:]
                        preferences.append(value.keys.sorted())
                        connection.reply(to: message)
                        return true
                    }
                    if message.member == "Play" {
                        let options = (try? message.read())?.last?.dictionary ?? [:]
                        calls.append("Play as \(options["as"]?.string ?? "")")
                        // It honours the switch.
                        connection.reply(to: message, [.uint32(1)])
                        let (outcome, reason) = position == "ring" ? ("finished", "") : ("silenced", "ringSilentSwitch")
                        connection.signal(
                            RingerNames.path, RingerNames.interface, "Ended",
                            [.uint32(1), .string(outcome), .string(reason), .dictionary([:])])
                        return true
                    }
                    guard message.member == "GetAll" else {
                        calls.append(message.member)
                        return false
                    }
                    if asked.wrappingAdd(1, ordering: .relaxed).newValue <= failures {
                        connection.reply(to: message, BusError("org.freedesktop.DBus.Error.Failed", "not now"))
                    } else {
                        connection.reply(
                            to: message,
                            [
                                .dictionary([
                                    "SwitchPosition": .string(position), "SwitchReadability": .string("readable"),
                                    "Preferences": .dictionary(
                                        [
                                            "doNotDisturb": .boolean(false), "vibrateOnRing": .boolean(true),
                                        ].merging(others) { $1 }),
                                ])
                            ])
                    }
                    return true
                }
                try connection.own(RingerNames.service)
            }
        }

        func signal() {
            loop.sync { [self] in
                connection?.signal(
                    RingerNames.path, BusInterface.properties, "PropertiesChanged",
                    [.string(RingerNames.interface), .dictionary([:]), .strings([])])
            }
        }

        deinit {
            loop.sync { [connection] in connection?.close() }
            loop.close()
        }
    }

    // It would refuse a preference that it does not know, and all others with it.
    @Test(
        "an older service has no quiet hours; a service gets the preferences that are set, and no others, which another client may have set"
    )
    func olderService() async throws {
        let bus = try TestBus()
        let first = try ServiceBench(bus: bus)
        first.device.preferences.quietHours = try QuietHours("daily 00:00-00:00")
        let device = try await Device.connect(to: .address(bus.address), clock: first.clock)
        #expect(device.state.quietHours == .silent)
        first.crash()
        let second = try FailingService(bus, failures: 0)
        try await eventually("the quiet hours are gone") {
            device.state.quietHours == nil && device.preferences == UserPreferences()
        }
        device.preferences.doNotDisturb = true
        try await eventually("it was set") { second.preferences.all == [["doNotDisturb"]] }
        device.preferences.quietHours = try QuietHours("daily 22:00-07:00")
        try await eventually("it was sent") {
            second.preferences.all.last == ["quietHours"]
        }
    }

    // It took all of them for those of a new device.
    @Test("what a program does not know of a later service's preferences is passed over; the others hold")
    func laterPreferences() async throws {
        let bus = try TestBus()
        let service = try FailingService(
            bus, failures: 0,
            others: [
                "soundEffects": .boolean(false), "fromTheFuture": .boolean(true),
                "alertsDuringCall": .string("whispered"),
                "quietHours": .string("on holidays"), "mediaVolume": .double(7),
            ])
        let device = try await Device.connect(to: .address(bus.address), clock: VirtualClock())
        defer { device.close() }
        try await eventually("its preferences are known") { device.preferences == UserPreferences(soundEffects: false) }
        #expect(service.asked.load(ordering: .relaxed) > 0)
    }

    @Test(
        "at an older service an alarm is an alert, which is reported: once for each service, however many rounds it has"
    )
    func olderServiceAlarm() async throws {
        for position in ["ring", "silent"] {
            let bus = try TestBus()
            let service = try FailingService(bus, failures: 0, position: position)
            let clock = VirtualClock()
            let device = try await Device.connect(to: .address(bus.address), clock: clock)
            defer { device.close() }
            let degraded = Results<RingerError>()
            let events = device.events
            let reader = Task { for await case .degraded(let error, _) in events { degraded.append(error) } }
            defer { reader.cancel() }
            for _ in 0..<2 {
                let tone = PCMBuffer(sampleRate: 8_000, channels: 1, samples: [7])
                let results = Results<SoundOutcome>()
                device.player.startOutsideSessions(tone, as: .alarm) { results.append($0.outcome) }
                try await eventually("it has ended") { !results.all.isEmpty }
                // It is no louder than an alert, and nobody takes it for one that was heard.
                #expect(results.all == [position == "ring" ? .finished : .silenced(by: .ringSilentSwitch)])
            }
            #expect(service.calls.all.filter { $0.hasPrefix("Play") } == ["Play as alert", "Play as alert"])
            try await eventually("it was reported") { !degraded.all.isEmpty }
            let reports = degraded.all.filter { $0.operation == "play an alarm" }
            #expect(reports.count == 1 && reports.first?.code == .unsupported)
        }
    }

    @Test("an older service is asked for no position that ends: the error says so, and nothing changes")
    func olderServicePosition() async throws {
        let bus = try TestBus()
        let service = try FailingService(bus, failures: 0)
        let device = try await Device.connect(to: .address(bus.address), clock: VirtualClock())
        defer { device.close() }
        let error = await #expect(throws: RingerError.self) {
            try await device.setPosition(.vibrate, until: 4_102_444_800)
        }
        #expect(error?.code == .unsupported && error?.subject == "until 4102444800")
        #expect(service.calls.all.isEmpty && device.state.keptPosition == nil)
        // It has no kept position at all.
        await #expect(throws: RingerError.self) { try await device.setPosition(.vibrate) }
        #expect(service.calls.all == ["SetPosition"])
    }

    @Test("a service that could not be asked when it returned is asked again", arguments: [true, false])
    func askedAgain(givesSigns: Bool) async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        first.crash()
        while device.state.isSwitchConnected { await Task.yield() }
        // By itself the device would ask eight times only after two minutes.
        let failures = givesSigns ? 8 : 1
        let second = try FailingService(bus, failures: failures)
        for failure in 1...failures {
            while second.asked.load(ordering: .relaxed) < failure { try await Task.sleep(for: .milliseconds(1)) }
            // The device may not have the answer yet: it takes any later sign.
            while givesSigns && second.asked.load(ordering: .relaxed) == failure {
                second.signal()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        while !device.state.isSwitchConnected { try await Task.sleep(for: .milliseconds(1)) }
        #expect(device.state.ringSilent == .silent)
        device.close()
    }

    @Test("a session that is made while the service is away is made there once, when it is back")
    func madeMeanwhile() async throws {
        let (first, device) = try await connected()
        let bus = first.bus
        first.crash()
        while device.state.isSwitchConnected { await Task.yield() }
        let second = try FailingService(bus, failures: 1)
        while second.asked.load(ordering: .relaxed) < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let session = device.sessions.make(name: "music", category: .playback)
        while !device.state.isSwitchConnected { try await Task.sleep(for: .milliseconds(1)) }
        let link = try #require((device.service as? ConnectedDevice)?.link)
        let isAnswered = Latch()
        link.loop.execute {
            link.call(RingerNames.path, "org.freedesktop.DBus.Peer", "Ping") { _ in isAnswered.open() }
        }
        isAnswered.wait()
        #expect(second.sessions.load(ordering: .relaxed) == 1 && !session.isActive)
        device.close()
    }

    @Test("when the bus ends and returns, the service is found again")
    func busReturns() async throws {
        let folder = "/tmp/ringer-bus-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let first = try ServiceBench(bus: try TestBus(path: folder))
        let device = try await Device.connect(to: .address(first.bus.address), clock: first.clock)
        let events = device.events
        first.bus.send(SIGKILL)
        _ = await next(events) { if case .degraded = $0 { true } else { false } }
        first.stop()
        unlink(folder)
        let second = try ServiceBench(bus: try TestBus(path: folder))
        _ = await next(events) { if case .switchFound = $0 { true } else { false } }
        second.board.ringSilent.position = .silent
        _ = await next(events) { if case .switchMoved(.silent, _, _) = $0 { true } else { false } }
        #expect(device.state.ringSilent == .silent)
        device.close()
        unlink(folder)
    }

    @Test("the sounds, vibrations and sessions of a process that may not play fail with permissionDenied")
    func forbidden() async throws {
        var nobody = Authorization()
        nobody.controllingUsers = []
        let service = try ServiceBench(authorization: nobody)
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
        #expect(device.state.ringSilent == .ring)
        guard case .failed(let error) = try await device.play(tone, category: .playback).outcome else {
            Issue.record("it played")
            return
        }
        #expect(error.code == .permissionDenied)
        guard case .failed(let reason) = await device.vibrate() else {
            Issue.record("it vibrated")
            return
        }
        #expect(reason.code == .permissionDenied)
        let session = device.sessions.make(category: .playback)
        await #expect(throws: SessionError.self) { try await session.activate() }
        // The preferences of the service are in force, not those that were refused.
        let events = device.events
        device.preferences.doNotDisturb = true
        _ = await next(events) { if case .degraded = $0 { true } else { false } }
        while device.preferences.doNotDisturb { await Task.yield() }
    }

    @Test(
        "a sound that completes though its application dies is played to its end at the service",
        arguments: [true, false])
    func outlives(completes: Bool) async throws {
        let (service, device) = try await connected()
        let id = try device.sounds.register(tone)
        try device.sounds.setCompletesPlaybackIfAppDies(completes, of: id)
        device.sounds.start(id)
        service.settle(with: device)
        service.clock.advance(by: .milliseconds(50))
        #expect(service.board.speaker.playing.count == 1)
        let link = try #require((device.service as? ConnectedDevice)?.link)
        // As a process that is killed does: nothing is stopped before.
        link.loop.sync { link.close() }
        while service.clientCount > 0 { await Task.yield() }
        service.clock.advance(by: .seconds(2))
        #expect(service.board.speaker.recordings.map(\.outcome) == [completes ? .drained : .stopped])
    }

    @Test("a process that closes its device, or dies, leaves no sound, session or vibration behind")
    func leaves() async throws {
        let (service, device) = try await connected()
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        session.start(tone)
        device.vibrator?.start(try VibrationPattern(milliseconds: "5000"))
        service.settle(with: device)
        service.clock.advance(by: .milliseconds(50))
        #expect(service.board.speaker.playing.count == 1 && service.board.motor.isOn)
        device.close()
        while service.board.motor.isOn || service.clientCount > 0 { await Task.yield() }
        service.clock.advance(by: .milliseconds(20))
        #expect(service.board.speaker.playing.isEmpty && !service.device.sessions.all.contains { $0.isActive })
    }
}
