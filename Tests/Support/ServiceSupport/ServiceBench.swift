import Glibc
import RingerCore
import RingerBus
import RingerDaemon
import RingerTestKit
import Synchronization
import SystemPackage

/// The service of a simulated board in virtual time, on a bus of its own.
package final class ServiceBench: Sendable {
    package let bus: TestBus
    package let clock: VirtualClock
    package let board: SimulatedBoard
    package let device: Device
    package let loop: EventLoop
    package let budget: ServiceBudget
    /// What the service reported of refusals.
    package let refusals: Refusals
    /// Yields when the service has lost the bus, and ends then.
    package let disconnected: AsyncStream<Void>
    private let running: Running

    // SAFETY: used on the loop's thread alone.
    private final class Running: @unchecked Sendable {
        var connection: BusConnection?
        var service: Service?
        var feedback: FeedbackService?
    }

    /// What a service reports of refusals. Any thread.
    package final class Refusals: Sendable {
        private let texts = Mutex<[String]>([])

        /// In the order of the reports.
        package var all: [String] { texts.withLock { $0 } }

        fileprivate func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    /// - Parameters:
    ///   - isRealTime: Whether the board is on the service's event loop, as hardware is, instead of in virtual time.
    ///   - feedback: What is configured of feedbackd's interface; nil where it is not served.
    ///   - clock: The clock in virtual time.
    ///   - aside: Gets the device's reading and decoding in place of ``DeviceClock/runAside(_:)``.
    ///   - hardware: Gets the board before the service has its name on the bus.
    ///   - soundDirectories: Where files override the predefined sounds.
    ///   - authorization: Who may do what; nil for one under which the user who runs the test may do everything.
    package init(
        isRealTime: Bool = false, clock: VirtualClock = VirtualClock(),
        aside: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil, authorization: Authorization? = nil,
        limits: Budget.Limits = .init(), hardware: (SimulatedBoard) -> Void = { _ in },
        preferencesFile: PreferencesFile? = nil, feedback: FeedbackService.Configuration? = nil,
        followsLogind: Bool = false, bus: TestBus? = nil, soundDirectories: [String] = []
    ) throws {
        self.bus = try bus ?? TestBus()
        self.clock = clock
        loop = try EventLoop(name: "service", stackSize: 1024 * 1024)
        board = SimulatedBoard(clock: isRealTime ? loop : clock)
        let preferences = preferencesFile?.read { _ in } ?? UserPreferences()
        var ports = Device.Ports(simulated: board)
        if let aside { ports.clock = AsideClock(clock: clock, aside: aside) }
        device = try Device(
            ports,
            configuration: .init(
                preferences: preferences, sounds: .init(predefined: PredefinedSounds(directories: soundDirectories))))
        hardware(board)
        running = Running()
        let refusals = Refusals()
        self.refusals = refusals
        budget = ServiceBudget(limits, clock: device.clock) { refusals.add($0) }
        var own = Authorization()
        own.controllingUsers.insert(getuid())
        let (authorization, address) = (authorization ?? own, self.bus.address)
        let (disconnected, continuation) = AsyncStream<Void>.makeStream()
        self.disconnected = disconnected
        try loop.syncThrowing { [device, loop, board, running, budget] () throws(RingerError) in
            let connection = try BusConnection.connect(.address(address), on: loop)
            let service = Service(
                device, loop: loop, connection: connection, authorization: authorization, budget: budget,
                preferencesFile: preferencesFile, followsLogind: followsLogind,
                board: SimulatedBoardService(board, loop: loop))
            running.feedback = feedback.map { FeedbackService(service, $0) }
            try running.feedback?.start()
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
    package func stop() {
        loop.sync { [running] in
            running.service?.stop()
            running.feedback?.stop()
            running.connection?.close()
            (running.connection, running.service, running.feedback) = (nil, nil, nil)
        }
    }

    /// Ends the service as SIGKILL does: nobody is informed.
    package func crash() {
        loop.sync { [running] in
            running.connection?.close()
            (running.connection, running.service, running.feedback) = (nil, nil, nil)
        }
        device.close()
    }

    /// How many clients the service knows.
    package var clientCount: Int {
        let count = Atomic(0)
        loop.sync { [running] in count.store(running.service?.clientCount ?? 0, ordering: .relaxed) }
        return count.load(ordering: .relaxed)
    }

    /// Whether the service reads a client's file on another thread.
    package var isReading: Bool {
        let isReading = Atomic(false)
        loop.sync { [running] in isReading.store(running.service?.isReading ?? false, ordering: .relaxed) }
        return isReading.load(ordering: .relaxed)
    }

    /// A program on the bus: of the user who runs the test, or of another one. It waits for each reply as long as a busy
    /// machine takes.
    package func client(as user: TestUser? = nil) throws -> BusClient {
        try BusClient(bus.address, as: user, replyTimeout: nil)
    }
}

/// A virtual clock on whose device something else reads and decodes.
private struct AsideClock: DeviceClock {
    let clock: VirtualClock
    let aside: @Sendable (@escaping @Sendable () -> Void) -> Void

    var now: MonotonicTime { clock.now }
    var timeAsleep: Duration { clock.timeAsleep }
    func schedule(at deadline: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> any DeviceTimer {
        clock.schedule(at: deadline, body)
    }
    func callBack(_ body: @escaping @Sendable () -> Void) { clock.callBack(body) }
    func runAside(_ body: @escaping @Sendable () -> Void) { aside(body) }
}
