import Glibc
import RingerLinux
import RingerBus
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerClient

/// What connecting to the service costs once the device is closed: nothing. Each test counts the descriptors of a process of
/// its own.
@Suite struct ClosingTests {
    @Test("a device that is closed while its requests wait leaves nothing behind, and each request ends once")
    func pending() async {
        await #expect(processExitsWith: .success) {
            // In real time, so that the service ends what it played.
            let service = try ServiceBench(isRealTime: true)
            try await Leaks.expectNone { round in
                let device = try await Device.connect(to: .address(service.bus.address))
                let (ends, sound) = (Results<String>(), PCMBuffer(sampleRate: 48_000, channels: 1, samples: [7, 7, 7]))
                // Completions keep what they capture: the mark lives as long as one of them does.
                let mark = Leaks.Mark()
                round.watch(mark, (device.service as? ConnectedDevice)?.link)
                @Sendable func end(_ name: String) {
                    mark.touch()
                    ends.append(name)
                }
                let session = device.sessions.make(category: .playback)
                session.activate { _ in end("activate") }
                session.deactivate { _ in end("deactivate") }
                session.start(sound) { _ in end("session") }
                try device.start(sound, category: .ambient) { _ in end("play") }
                device.sounds.start(1007) { _ in end("systemSound") }
                device.vibrator?.start(.standard) { _ in end("vibrate") }
                device.muteDetector.measure { _ in end("detect") }
                device.releaseOutput { end("release") }
                try device.statusLight?.show(.on)
                device.close()
                let names: Set = [
                    "activate", "deactivate", "session", "play", "systemSound", "vibrate", "detect", "release",
                ]
                while Set(ends.all) != names { try await Task.sleep(for: .milliseconds(1)) }
                #expect(ends.all.count == names.count, "\(ends.all)")
            }
        }
    }

    @Test("a sound that was played is not kept")
    func played() async throws {
        let service = try ServiceBench()
        let device = try await Device.connect(to: .address(service.bus.address), clock: service.clock)
        let output = ServiceOutput(try #require(device.service as? ConnectedDevice))
        let ends = Results<PlaybackEvent>()
        var sound: (any Playback)? = output.play(
            PCMBuffer(sampleRate: 48_000, channels: 1, samples: [7, 7, 7]), PlaybackOptions()
        ) { event in
            if case .ended = event { ends.append(event) }
        }
        weak let kept = sound as? ServicePlayback
        sound = nil
        service.settle(with: device)
        service.clock.advance(by: .milliseconds(50))
        #expect(ends.all.count == 1)
        device.close()
        #expect(kept == nil)
    }

    @Test("looking for the service and connecting to it leave no descriptor")
    func defaultOpen() async {
        await #expect(processExitsWith: .success) { try await ClosingTests.openAgainAndAgain(hasService: true) }
    }

    @Test("looking for a service that is not there, and failing to connect to it, leave no descriptor")
    func missing() async {
        await #expect(processExitsWith: .success) { try await ClosingTests.openAgainAndAgain(hasService: false) }
    }

    /// A service that has its name anew each time before it fails to report its properties, and answers nothing else.
    // SAFETY: all state is used on the loop's thread alone.
    private final class RestartingService: @unchecked Sendable {
        private let loop: EventLoop
        private var connection: BusConnection?
        private var served: BusConnection.Registration?
        /// The client that has its answer.
        private var answered = ""

        init(_ bus: TestBus) throws {
            loop = try EventLoop(name: "restarting")
            try loop.syncThrowing { [self] () throws(RingerError) in
                let connection = try BusConnection.connect(.address(bus.address), on: loop)
                self.connection = connection
                served = try connection.serve(RingerNames.path) { [unowned self] message in
                    if message.sender == answered { return true }
                    answered = message.sender
                    let (bus, name) = ("org.freedesktop.DBus", BusValue.string(RingerNames.service))
                    connection.call(bus, "/org/freedesktop/DBus", bus, "ReleaseName", [name]) { _ in }
                    connection.call(bus, "/org/freedesktop/DBus", bus, "RequestName", [name, .uint32(0)]) { _ in
                        connection.reply(to: message, BusError("org.freedesktop.DBus.Error.Failed", "not now"))
                    }
                    return true
                }
                try connection.own(RingerNames.service)
            }
        }

        deinit {
            loop.sync { [connection] in connection?.close() }
            loop.close()
        }
    }

    @Test("failing to connect while the service is asked once more leaves no descriptor")
    func failing() async {
        await #expect(processExitsWith: .success) {
            let bus = try TestBus()
            let service = try RestartingService(bus)
            try await Leaks.expectNone { _ in
                await #expect(throws: RingerError.self) { try await Device.connect(to: .address(bus.address)) }
            }
            _ = service
        }
    }

    private static func openAgainAndAgain(hasService: Bool) async throws {
        let bus = try TestBus()
        let service = hasService ? try ServiceBench(bus: bus) : nil
        setenv("RINGER_BUS", "session", 1)
        setenv("DBUS_SESSION_BUS_ADDRESS", bus.address, 1)
        try await Leaks.expectNone { _ in
            let isAvailable = await Device.isServiceAvailable()
            #expect(isAvailable == hasService)
            if hasService {
                try await Device.connect().close()
            } else {
                await #expect(throws: RingerError.self) { try await Device.connect() }
            }
        }
        service?.stop()
    }
}

/// Finds what rounds of the same work leave behind.
enum Leaks {
    /// An object whose life is watched.
    final class Mark: Sendable {
        func touch() {}
    }

    /// One round of the work.
    final class Round: Sendable {
        private struct Weak: Sendable {
            weak let object: (AnyObject & Sendable)?
        }

        private let watched = Mutex<[Weak]>([])

        /// Expects the objects to be gone after the round.
        func watch(_ objects: (AnyObject & Sendable)?...) {
            watched.withLock { $0 += objects.map { Weak(object: $0) } }
        }

        var alive: Int { watched.withLock { $0.count { $0.object != nil } } }
    }

    /// Does the work once, so that what is made only once is there, and then again and again.
    static func expectNone(_ work: (Round) async throws -> Void) async throws {
        try await work(Round())
        let before = try await descriptors { _ in true }
        let rounds = (0..<20).map { _ in Round() }
        for round in rounds { try await work(round) }
        var alive: Int { rounds.reduce(0) { $0 + $1.alive } }
        // Threads that were asked to end close their descriptors soon, and let go of their objects.
        let after = try await descriptors { $0 <= before && alive == 0 }
        #expect(after <= before, "\(after - before) more descriptors than the \(before) before")
        #expect(alive == 0, "\(alive) objects are alive")
    }

    /// How many descriptors the process has, once that has not changed for 0.2 s and is `expected`, or after 60 s.
    private static func descriptors(where isExpected: (Int) -> Bool) async throws -> Int {
        var (last, quiet) = (0, 0)
        for _ in 0..<6_000 {
            try await Task.sleep(for: .milliseconds(10))
            let now = count()
            quiet = now == last ? quiet + 1 : 0
            last = now
            if quiet >= 20 && isExpected(now) { break }
        }
        return last
    }

    private static func count() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
