import Glibc
import Ringer
import RingerBus
import RingerDaemon
import RingerHardware
import RingerTestKit
import ServiceSupport
import Synchronization
import SystemPackage
import Testing

@testable import RingerClient

/// A service on a simulated board in virtual time, which is killed and started again. It keeps the preferences in a file.
protocol RestartedService: Sendable {
    var bus: TestBus { get }
    /// The preferences in the file.
    var storedPreferences: UserPreferences? { get }

    func start() async throws
    /// Ends it as SIGKILL does.
    func kill()
    /// Moves the switch.
    func move(to position: SwitchPosition) async throws
    /// Lets messages between the service and `device` arrive before time moves.
    func settle(with device: Device)
    /// Moves the time of the service and of `device`.
    func advance(_ duration: Duration, with device: Device) async throws
    /// Expects nothing of it but the session "music" of `device`, and its light.
    func checkRest(with device: Device) async throws
}

/// Waits until `condition` holds, and says in a minute what does not.
func eventually(_ name: String, _ condition: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        try #require(ContinuousClock.now < end, "it never holds that \(name)")
        // Beside other tests: a thread that never rests would take a processor from the service.
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The service in the test's process.
final class ServiceInProcess: RestartedService {
    let bus: TestBus
    private let clock: VirtualClock
    private let file = TemporaryPreferences()
    private let running = Mutex<ServiceBench?>(nil)

    init(_ clock: VirtualClock) throws {
        self.clock = clock
        bus = try TestBus()
    }

    var storedPreferences: UserPreferences? { file.file.read { _ in } }
    private var service: ServiceBench? { running.withLock { $0 } }

    func start() throws {
        let started = try ServiceBench(clock: clock, preferencesFile: file.file, bus: bus)
        running.withLock { $0 = started }
    }

    func kill() { service?.crash() }

    func move(to position: SwitchPosition) { service?.board.ringSilent.position = position }

    func settle(with device: Device) { service?.settle(with: device) }

    func advance(_ duration: Duration, with device: Device) {
        clock.advance(by: duration)
        service?.settle()
    }

    func checkRest(with device: Device) throws {
        let service = try #require(service)
        #expect(service.device.preferences == device.preferences)
        #expect(service.device.sessions.all.filter(\.isActive).map(\.name) == ["music"])
        #expect(service.board.statusLight.pattern == .on)
        #expect(!service.board.motor.isOn && service.board.speaker.playing.isEmpty)
    }
}

/// The service as a process of its own.
final class ServiceOfItsOwn: RestartedService {
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

    var storedPreferences: UserPreferences? { file.file.read { _ in } }

    func start() async throws {
        let epoch = VirtualClock().now
        let started = try ServiceProcess(bus, configuration: configuration)
        process.withLock { $0 = started }
        try await started.serves(client)
        if clock.now > epoch { try await client.advance(clock.now - epoch) }
    }

    func kill() { process.withLock { $0 = nil } }

    func move(to position: SwitchPosition) async throws {
        _ = try await client.call(
            "SetSwitch", [.string(position.rawValue)], interface: RingerNames.simulatedBoardInterface)
    }

    func settle(with device: Device) {}

    /// The clocks move in turn, by so little that none is far ahead.
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
private final class TemporaryPreferences: Sendable {
    let file = PreferencesFile(path: "/tmp/ringer-restart-\(getpid())-\(UInt32.random(in: 0 ... .max))")

    deinit {
        unlink(file.path)
    }
}
