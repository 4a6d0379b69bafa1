import Glibc
import Ringer
import RingerBus
import RingerService
import RingerTestKit
import ServiceSupport
import Testing

@testable import RingerClient

/// A device over the service: its state and requests while the service disappears and returns.
@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
    private let tone = PCMBuffer(sampleRate: 48_000, channels: 1, samples: [Int16](repeating: 7, count: 48_000))

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

    @Test("when the service disappears its sounds fail, and when it returns sessions are active again")
    func serviceReturns() async throws {
        let bus = try TestBus()
        let first = try ServiceBench(bus: bus)
        let device = try await Device.connect(to: .address(bus.address), clock: first.clock)
        let session = device.sessions.make(name: "music", category: .playback)
        try await session.activate()
        let results = Results<SoundResult>()
        session.start(tone) { results.append($0) }
        let vibrations = Results<VibrationEnd>()
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
        let bus = try TestBus()
        let first = try ServiceBench(bus: bus)
        let device = try await Device.connect(to: .address(bus.address), clock: first.clock)
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
        let service = try ServiceBench()
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
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
        let service = try ServiceBench()
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
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
