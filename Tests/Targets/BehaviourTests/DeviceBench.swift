import Ringer
import RingerBus
import RingerHardware
import RingerTestKit
import ServiceSupport
import Synchronization

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
    let clock: VirtualClock
    let board: SimulatedBoard
    let device: Device
    /// The service; nil without one.
    let service: ServiceBench?

    init(_ connection: Connection, preferences: UserPreferences = UserPreferences()) async throws {
        switch connection {
        case .simulated:
            clock = VirtualClock()
            board = SimulatedBoard(clock: clock)
            device = try Device.simulated(board, configuration: Self.configuration)
            service = nil
        case .connected:
            let service = try ServiceBench()
            self.service = service
            (clock, board) = (service.clock, service.board)
            device = try await Device.connect(
                to: .address(service.bus.address), clock: clock, configuration: Self.configuration)
            service.settle(with: device)
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

    /// Another process: with the service a connection of its own, else the same device.
    func otherProcess() async throws -> Device {
        guard let service else { return device }
        let other = try await Device.connect(to: .address(service.bus.address), clock: clock)
        service.settle(with: device, other)
        return other
    }

    func advance(_ duration: Duration) {
        clock.advance(by: duration)
        service?.settle()
    }

    func flip(to position: SwitchPosition) {
        board.ringSilent.position = position
        service?.settle()
    }

    /// Runs `operation`, moving the clock while it waits.
    func run<Value: Sendable>(_ operation: @escaping @Sendable (Device) async throws -> Value) async throws -> Value {
        try await clock.drive { [device] in try await operation(device) }
    }
}

extension ServiceBench {
    /// Lets the messages between the service and these devices arrive before time moves.
    func settle(with devices: Device...) {
        let links = devices.compactMap { ($0.service as? ConnectedDevice)?.link }
        clock.settle { [weak self] in self?.exchange(links) }
        exchange(links)
    }

    func settle() {
        clock.advance(by: .zero)
    }

    /// Waits until every message that these clients and the service have sent, and those that follow from them, arrived.
    private func exchange(_ links: [ServiceLink]) {
        var quiet = 0
        while quiet < 3 {
            let before = traffic(links)
            for link in links {
                let isAnswered = Latch()
                link.loop.execute {
                    link.call(RingerNames.path, "org.freedesktop.DBus.Peer", "Ping") { _ in isAnswered.open() }
                }
                isAnswered.wait()
                link.loop.sync {}
            }
            let isQuiet = traffic(links) == before + UInt64(links.count) && !isReading
            quiet = isQuiet ? quiet + 1 : 0
        }
    }

    private func traffic(_ links: [ServiceLink]) -> UInt64 {
        links.reduce(0) { $0 + $1.traffic.load(ordering: .relaxed) }
    }
}
