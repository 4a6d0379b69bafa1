import Glibc
import RingerLinux
import RingerBus
import RingerDaemon
import RingerTestKit
import ServiceSupport
import Synchronization
import SystemPackage
import Testing

@testable import RingerClient

/// Waits until `condition` holds, and says in a minute what does not.
func eventually(_ name: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        try #require(ContinuousClock.now < end, "it never holds that \(name)")
        // Beside other tests: a thread that never rests would take a processor from the service.
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The service as a process of its own, which is killed and started again. It keeps the preferences in a file.
final class RestartedService: Sendable {
    let bus: TestBus
    private let clock: VirtualClock
    private let file = TemporaryPreferences()
    private let client: BusClient
    private let process = Mutex<ServiceProcess?>(nil)
    private let configuration: String

    /// - Parameter clock: That of the program. The service's own is moved with it.
    init(_ clock: VirtualClock) throws {
        self.clock = clock
        bus = try TestBus()
        client = try BusClient(bus.address)
        configuration = file.file.path + ".conf"
        let made = try FileDescriptor.open(
            FilePath(configuration), .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        try made.closeAfter { _ = try made.writeAll("preferences-file = \(file.file.path)\n".utf8) }
    }

    deinit {
        // Before the bus ends.
        kill()
        unlink(configuration)
    }

    /// The preferences in the file.
    var storedPreferences: UserPreferences? { file.file.read { _ in } }

    func start() async throws {
        let epoch = VirtualClock().now
        let started = try ServiceProcess(bus, configuration: configuration)
        process.withLock { $0 = started }
        try await started.serves(client)
        if clock.now > epoch { try await client.advance(clock.now - epoch) }
    }

    /// Ends it by SIGKILL.
    func kill() { process.withLock { $0 = nil } }

    /// Moves the switch.
    func move(to position: SwitchPosition) async throws {
        _ = try await client.call(
            "SetSwitch", [.string(position.rawValue)], interface: RingerNames.simulatedBoardInterface)
    }

    /// Moves the time of the service and of `device`: in turn, by so little that none is far ahead.
    func advance(_ duration: Duration, with device: Device) async throws {
        try await exchange(with: device)
        var left = duration
        while left > .zero {
            let part = min(left, .milliseconds(500))
            left -= part
            try await client.advance(part)
            try await exchange(with: device)
            clock.advance(by: part)
            try await exchange(with: device)
        }
    }

    /// Waits until every message between the service and `device`, and those that follow from them, arrived.
    private func exchange(with device: Device) async throws {
        let link = try #require(device.service as? ConnectedDevice).link
        var quiet = 0
        while quiet < 3 {
            let before = link.traffic.load(ordering: .relaxed)
            try await client.advance(.zero)
            await withCheckedContinuation { continuation in
                link.loop.execute {
                    link.call(RingerNames.path, "org.freedesktop.DBus.Peer", "Ping") { _ in continuation.resume() }
                }
            }
            link.loop.sync {}
            quiet = link.traffic.load(ordering: .relaxed) == before + 1 ? quiet + 1 : 0
        }
    }

    /// Expects nothing of it but the session "music" of `device`, and its light.
    func checkRest(with device: Device) async throws {
        var preferences = UserPreferences()
        try preferences.set(try #require(try await client.property("Preferences")))
        #expect(preferences == device.preferences)
        let light = try await last("Lights")
        #expect(light?["pattern"] == .string(LightPattern.on.text))
        // What has not ended has no end.
        for list in ["MotorTurns", "Recordings"] {
            let last = try await last(list)
            #expect(last == nil || last?["end"] != nil, "\(list)")
        }
    }

    /// The last entry of a list of the board.
    private func last(_ list: String) async throws -> [String: BusValue]? {
        let values = try await client.call(list, interface: RingerNames.simulatedBoardInterface)
        return values.first?.elements?.last?.dictionary
    }
}

/// A file of preferences, which is removed at the end.
final class TemporaryPreferences: Sendable {
    let file = PreferencesFile(path: "/tmp/ringer-restart-\(getpid())-\(UInt32.random(in: 0 ... .max))")

    deinit {
        unlink(file.path)
    }
}
