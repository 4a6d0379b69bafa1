import Glibc
import Ringer
import RingerBus
import RingerHardware
import RingerTestKit
import Synchronization
import SystemPackage

@testable import RingerService

/// A message bus of its own for one test: a dbus-daemon that ends with it.
final class TestBus: Sendable {
    let address: String
    private let process: pid_t

    init() throws {
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else { throw RingerError("make a pipe", "dbus-daemon", Errno(rawValue: errno)) }
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 3)
        let words = [
            "dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--address=unix:tmpdir=/tmp",
            "--print-address=3",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "dbus-daemon", &actions, nil, &arguments, environ)
        close(pipe[1])
        defer { close(pipe[0]) }
        guard result == 0 else { throw RingerError("start", "dbus-daemon", Errno(rawValue: result)) }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(pipe[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        address = String(decoding: bytes, as: UTF8.self)
        self.process = process
    }

    func send(_ signal: CInt) {
        kill(process, signal)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// The service of a simulated board in virtual time, on a bus of its own.
final class ServiceBench: Sendable {
    let bus: TestBus
    let clock = VirtualClock()
    let board: SimulatedBoard
    let device: Device
    let loop: EventLoop
    /// Yields when the service has lost the bus, and ends then.
    let disconnected: AsyncStream<Void>
    private let running: Running

    // SAFETY: used on the loop's thread alone.
    private final class Running: @unchecked Sendable {
        var connection: BusConnection?
        var service: Service?
    }

    /// - Parameter authorization: Who may do what; nil for one under which the user who runs the test may do everything.
    init(
        authorization: Authorization? = nil, limits: Service.Limits = .init(), preferencesFile: PreferencesFile? = nil
    ) throws {
        bus = try TestBus()
        board = SimulatedBoard(clock: clock)
        let preferences = preferencesFile?.read { _ in } ?? UserPreferences()
        device = try Device.simulated(board, configuration: .init(preferences: preferences))
        loop = try EventLoop(name: "service", stackSize: 1024 * 1024)
        running = Running()
        var own = Authorization()
        own.controllingUsers.insert(getuid())
        let (authorization, address) = (authorization ?? own, bus.address)
        let (disconnected, continuation) = AsyncStream<Void>.makeStream()
        self.disconnected = disconnected
        try loop.syncThrowing { [device, loop, board, running] () throws(RingerError) in
            let connection = try BusConnection.connect(.address(address), on: loop)
            let service = Service(
                device, loop: loop, connection: connection, authorization: authorization, limits: limits,
                preferencesFile: preferencesFile, board: SimulatedBoardService(board, loop: loop))
            try service.start()
            connection.onDisconnect { _ in
                continuation.yield()
                continuation.finish()
            }
            (running.connection, running.service) = (connection, service)
        }
    }

    deinit {
        stop()
        loop.close()
        device.close()
    }

    /// Ends the service as SIGTERM does.
    func stop() {
        loop.sync { [running] in
            running.service?.stop()
            running.connection?.close()
            (running.connection, running.service) = (nil, nil)
        }
    }

    /// How many clients the service knows.
    var clientCount: Int {
        let count = Atomic(0)
        loop.sync { [running] in count.store(running.service?.clients.count ?? 0, ordering: .relaxed) }
        return count.load(ordering: .relaxed)
    }

    /// A program on the bus.
    func client() throws -> BusClient { try BusClient(bus.address) }
}

/// A program on the bus that calls the service.
final class BusClient: Sendable {
    struct Ended: Sendable, Equatable {
        var request: UInt32
        var outcome: String
        var reason: String
    }

    private let loop: EventLoop
    private let held: Held
    private let gate = Latch()
    /// The signals that it got: member and arguments.
    let signals: AsyncStream<(member: String, arguments: [BusValue])>

    // SAFETY: used on the loop's thread alone.
    private final class Held: @unchecked Sendable {
        var connection: BusConnection?
        var match: BusConnection.Registration?
    }

    init(_ address: String) throws {
        let loop = try EventLoop(name: "client")
        self.loop = loop
        held = Held()
        let (signals, continuation) = AsyncStream<(member: String, arguments: [BusValue])>.makeStream()
        self.signals = signals
        try loop.syncThrowing { [held] () throws(RingerError) in
            let connection = try BusConnection.connect(.address(address), on: loop)
            held.match = connection.match("type='signal',sender='\(RingerNames.service)'") { message in
                continuation.yield((message.member, (try? message.read()) ?? []))
            }
            connection.onDisconnect { _ in continuation.finish() }
            held.connection = connection
        }
    }

    deinit {
        close()
        loop.close()
    }

    /// Keeps the client from reading what arrives, until ``unblock()``.
    func block() {
        loop.execute { [gate] in gate.wait() }
    }

    func unblock() {
        gate.open()
    }

    /// Leaves the bus.
    func close() {
        loop.sync { [held] in
            held.match = nil
            held.connection?.close()
            held.connection = nil
        }
    }

    /// Calls a method and returns the reply's values.
    func call(
        _ member: String, _ arguments: [BusValue] = [], interface: String = RingerNames.interface,
        path: String = RingerNames.path
    ) async throws -> [BusValue] {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute { [held] in
                guard let connection = held.connection else {
                    return continuation.resume(throwing: BusError("closed", "closed"))
                }
                connection.call(RingerNames.service, path, interface, member, arguments) { result in
                    continuation.resume(
                        with: result.flatMap { message in
                            do throws(BusError) { return .success(try message.read()) } catch { return .failure(error) }
                        })
                }
            }
        }
    }

    /// The error's name with which a call ends; nil where it succeeds.
    func error(
        _ member: String, _ arguments: [BusValue] = [], interface: String = RingerNames.interface,
        path: String = RingerNames.path
    ) async -> String? {
        do {
            _ = try await call(member, arguments, interface: interface, path: path)
            return nil
        } catch {
            return (error as? BusError)?.name ?? "\(error)"
        }
    }

    /// Begins a request and returns its number.
    func request(_ member: String, _ arguments: [BusValue], path: String = RingerNames.path) async throws -> UInt32 {
        let interface = path == RingerNames.path ? RingerNames.interface : RingerNames.sessionInterface
        return try await call(member, arguments, interface: interface, path: path).first?.uint32 ?? 0
    }

    func play(_ sound: BusValue, _ options: [String: BusValue] = [:]) async throws -> UInt32 {
        try await request("Play", [.variant(sound), .dictionary(options)])
    }

    /// Moves the service's clock forward.
    func advance(_ duration: Duration) async throws {
        let microseconds = UInt64(duration / .microseconds(1))
        _ = try await call("Advance", [.uint64(microseconds)], interface: RingerNames.simulatedBoardInterface)
    }

    func property(_ name: String) async throws -> BusValue? {
        try await call("Get", [.string(RingerNames.interface), .string(name)], interface: BusInterface.properties)
            .first?.contents
    }

    /// Waits for the next Ended signal.
    func ended() async -> Ended? {
        for await signal in signals where signal.member == "Ended" {
            return Ended(
                request: signal.arguments[0].uint32 ?? 0, outcome: signal.arguments[1].string ?? "",
                reason: signal.arguments[2].string ?? "")
        }
        return nil
    }
}
