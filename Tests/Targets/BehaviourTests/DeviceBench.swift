import Glibc
import RingerLinux
import RingerBus
import RingerTestKit
import ServiceSupport
import Synchronization
import Testing

@testable import RingerClient

/// How a program has its device.
enum Connection: String, CaseIterable, Sendable {
    /// In the process, on a simulated board.
    case simulated
    /// Over the service, whose device is on a simulated board.
    case connected
}

/// A device in virtual time, in the process or over the service on a bus of its own.
final class DeviceBench: Sendable {
    private struct State {
        var board: SimulatedBoard
        var service: ServiceBench?
        /// The devices of other processes.
        var others: [Device] = []
        /// The messages at the end of the last exchange.
        var traffic: UInt64 = 0
        var run = RestartedRun.current
        /// The sounds that played on the present board while the switch was at silent, by their places, and those on the
        /// boards before.
        var heard: [Int: String] = [:]
        var heardBefore: [String] = []
    }

    let clock: VirtualClock
    let device: Device
    private let preferencesFile = TemporaryPreferences()
    private let state: Mutex<State>

    init(_ connection: Connection, preferences: UserPreferences = UserPreferences()) async throws {
        clock = VirtualClock()
        switch connection {
        case .simulated:
            let board = SimulatedBoard(clock: clock)
            device = try Device.simulated(board, configuration: Self.configuration)
            state = Mutex(State(board: board))
        case .connected:
            let service = try ServiceBench(clock: clock, preferencesFile: preferencesFile.file)
            device = try await Device.connect(
                to: .address(service.bus.address), clock: clock, configuration: Self.configuration)
            state = Mutex(State(board: service.board, service: service))
            clock.settle { [weak self] in self?.exchange() }
            RestartedRun.current?.add(self)
            exchange()
        }
        if preferences != UserPreferences() {
            device.preferences = preferences
            advance(.zero)
        }
    }

    deinit {
        device.close()
    }

    private static var configuration: Device.Configuration {
        var configuration = Device.Configuration()
        // Sound files of this machine must not matter.
        configuration.sounds.predefined.directories = []
        return configuration
    }

    /// The hardware. A service that is started again has another board, of the same state.
    var board: SimulatedBoard { state.withLock { $0.board } }
    /// The service; nil without one.
    var service: ServiceBench? { state.withLock { $0.service } }

    /// Another process: with the service a connection of its own, else the same device.
    func otherProcess() async throws -> Device {
        guard let service else { return device }
        let other = try await Device.connect(to: .address(service.bus.address), clock: clock)
        state.withLock { $0.others.append(other) }
        exchange()
        return other
    }

    func advance(_ duration: Duration) {
        clock.advance(by: duration)
        guard service != nil else { return }
        clock.advance(by: .zero)
        if let run = state.withLock({ $0.run }) { run.add(step: lacksInput ? [] : lasting) }
    }

    /// Changes the hardware's state, as when something is plugged in.
    func set(_ change: DeviceStateChange) {
        board.surroundings.set(change)
        advance(.zero)
    }

    func flip(to position: SwitchPosition) {
        board.ringSilent.position = position
        if service != nil { clock.advance(by: .zero) }
    }

    /// Runs `operation`, moving the clock while it waits.
    func run<Value: Sendable>(_ operation: @escaping @Sendable (Device) async throws -> Value) async throws -> Value {
        let results = Results<Value>()
        let value = try await clock.drive { [device] in try await operation(device) }
        results.append(value)
        return value
    }

    // MARK: - Restarts

    /// Lets the messages arrive before time moves. If this is the moment for it, the service is started again.
    private func exchange() {
        let (service, others, last, run) = state.withLock { ($0.service, $0.others, $0.traffic, $0.run) }
        guard let service else { return }
        let links = ([device] + others).compactMap(\.link)
        let pings = service.exchange(links)
        let traffic = ServiceBench.traffic(links)
        state.withLock { state in
            state.traffic = traffic
            if state.board.ringSilent.position == .ring { return }
            for (place, sound) in state.board.speaker.recordings.enumerated()
            where sound.start != nil && sound.end == nil {
                state.heard[place] = "\(sound.sound.samples.hashValue) of \(sound.frames) frames, \(sound.route)"
            }
        }
        guard traffic != last + pings, let run, run.isRestart() else { return }
        let before = lacksInput ? nil : lasting
        do {
            try restart(service, links, run)
            for (before, after) in zip(before ?? [], lasting) where before != after {
                run.fail("\(before) became \(after)")
            }
        } catch {
            run.fail("\(error)")
        }
    }

    /// Kills the service, and starts it again on the same hardware.
    private func restart(_ old: ServiceBench, _ links: [ServiceLink], _ run: RestartedRun) throws {
        // What is being written while the service is killed may be lost.
        try Self.wait("the preferences are written") {
            preferencesFile.file.read { _ in } ?? UserPreferences() == old.device.preferences
        }
        run.keepEnds()
        let (board, hardware) = (old.board, old.device.state)
        old.crash()
        try Self.wait(for: links, isPresent: false)
        // One program after the other finds the new one.
        let held = run.order(links).map { ($0, Latch()) }
        for (link, isHeld) in held { link.loop.execute { isHeld.wait() } }
        defer { for (_, isHeld) in held { isHeld.open() } }
        let new = try ServiceBench(
            clock: clock,
            hardware: { new in
                new.ringSilent.position = board.ringSilent.position
                (new.speaker.fault, new.speaker.limits) = (board.speaker.fault, board.speaker.limits)
                new.speaker.mixes = board.speaker.mixes
                new.surroundings.set(.headphoneInserted(hardware.isHeadphoneInserted))
                new.surroundings.set(.screenLocked(hardware.isScreenLocked))
                if let volume = hardware.outputVolume { new.surroundings.set(.outputVolume(volume)) }
                if let input = hardware.isInputAvailable { new.surroundings.set(.inputAvailable(input)) }
            }, preferencesFile: preferencesFile.file, bus: old.bus)
        state.withLock { state in
            (state.service, state.board) = (new, new.board)
            (state.heardBefore, state.heard) = (state.heardBefore + state.heard.values, [:])
        }
        for (link, isHeld) in held {
            isHeld.open()
            try Self.wait(for: [link], isPresent: true)
            _ = new.exchange([link])
        }
        // What the last one changed for the others.
        _ = new.exchange(links)
    }

    private static func wait(for links: [ServiceLink], isPresent: Bool) throws {
        for link in links {
            try wait("a device \(isPresent ? "finds" : "loses") the service") {
                link.isTrue { $0.isClosed || $0.isPresent == isPresent }
            }
        }
    }

    /// Waits until `condition` holds, and says in a minute what does not.
    private static func wait(_ name: String, _ condition: () -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < end, "it never holds that \(name)")
            usleep(200)
        }
    }

    /// From now on the service is not started again.
    func leaveRun() {
        state.withLock { $0.run = nil }
    }

    /// As ``leaveRun()``. Returns once the service has noticed which processes left it.
    func endRestarts() throws {
        leaveRun()
        let (service, others) = state.withLock { ($0.service, $0.others) }
        let open = ([device] + others).compactMap(\.link).count { $0.isTrue { !$0.isClosed } }
        guard let service else { return }
        try Self.wait("the service forgets who has left it") { service.clientCount <= open }
    }

    /// The sounds that played while the switch was at silent.
    var heardAtSilent: [String] { state.withLock { $0.heardBefore + $0.heard.values } }

    /// Whether an active session has lost its input: it is not activated again without one.
    private var lacksInput: Bool {
        device.state.isInputAvailable == false
            && device.sessions.all.contains { $0.isActive && $0.settings.category == .playAndRecord }
    }

    /// What no restart changes. The announcements' own session is active while one plays, which ends with the service.
    var lasting: [String] {
        let (service, others) = state.withLock { ($0.service, $0.others) }
        var state = device.state
        state.ringSilentAt = nil
        let sessions = ([device, service?.device].compactMap(\.self) + others).map { device in
            device.sessions.all.filter { $0.phase != .inactive && !$0.isOwn && $0.name != "announcements" }
                .map { "\($0.name) \($0.phase)" }.sorted()
        }
        return [
            "\(state)", "\(device.preferences)", "\(service?.device.preferences, default: "")", "\(sessions)",
            "light \(board.statusLight.pattern)",
        ]
    }

    /// What is over once all has ended.
    var atRest: [String] { ["motor \(board.motor.isOn)", "sounds \(board.speaker.playing.count)"] }
}

extension Device {
    /// Its connection to the service.
    fileprivate var link: ServiceLink? { (service as? ConnectedDevice)?.link }
}

extension ServiceLink {
    /// Whether `condition` holds on its thread.
    fileprivate func isTrue(_ condition: @escaping @Sendable (ServiceLink) -> Bool) -> Bool {
        onThread { condition($0) ? 1 : 0 } == 1
    }

    private func onThread(_ value: @escaping @Sendable (ServiceLink) -> Int) -> Int {
        let result = Atomic(0)
        loop.sync { result.store(value(self), ordering: .relaxed) }
        return result.load(ordering: .relaxed)
    }
}

extension ServiceBench {
    /// Lets the messages between the service and these devices arrive before time moves.
    func settle(with devices: Device...) {
        let links = devices.compactMap(\.link)
        clock.settle { [weak self] in _ = self?.exchange(links) }
        _ = exchange(links)
    }

    func settle() {
        clock.advance(by: .zero)
    }

    /// Waits until every message that these clients and the service have sent, and those that follow from them, arrived.
    /// Returns how many messages it sent itself.
    fileprivate func exchange(_ links: [ServiceLink]) -> UInt64 {
        var (quiet, pings) = (0, UInt64(0))
        while quiet < 3 {
            let before = Self.traffic(links)
            for link in links {
                let isAnswered = Latch()
                link.loop.execute {
                    link.call(RingerNames.path, "org.freedesktop.DBus.Peer", "Ping") { _ in isAnswered.open() }
                }
                isAnswered.wait()
                link.loop.sync {}
            }
            pings += UInt64(links.count)
            let isQuiet = Self.traffic(links) == before + UInt64(links.count) && !isReading
            quiet = isQuiet ? quiet + 1 : 0
        }
        return pings
    }

    fileprivate static func traffic(_ links: [ServiceLink]) -> UInt64 {
        links.reduce(0) { $0 + $1.traffic.load(ordering: .relaxed) }
    }
}
