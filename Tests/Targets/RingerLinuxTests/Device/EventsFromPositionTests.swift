import RingerLinux
import RingerTestKit
import Synchronization
import Testing

@Suite("The events that begin with the switch's position")
struct EventsFromPositionTests {
    private let board = SimulatedBoard(clock: VirtualClock())

    private func positions(_ events: AsyncStream<DeviceEvent>) async -> [SwitchPosition] {
        var positions: [SwitchPosition] = []
        for await case .switchMoved(let position, _, _) in events { positions.append(position) }
        return positions
    }

    @Test("the newest position comes first, though nobody got its event")
    func unheard() async throws {
        let device = try Device.simulated(board)
        board.ringSilent.position = .silent
        let events = device.eventsFromPosition
        board.ringSilent.position = .ring
        device.close()
        #expect(await positions(events) == [.silent, .ring])
    }

    @Test("who subscribes between a flip and its event gets the position once")
    func between() async throws {
        let device = Mutex<Device?>(nil)
        let subscription = Mutex<AsyncStream<DeviceEvent>?>(nil)
        var configuration = Device.Configuration()
        // It is called before the subscribers get the event.
        configuration.relay = { event in
            guard case .switchMoved(.silent, _, _) = event else { return }
            subscription.withLock { $0 = device.withLock { $0?.eventsFromPosition } }
        }
        let opened = try Device.simulated(board, configuration: configuration)
        device.withLock { $0 = opened }
        let earlier = opened.events
        board.ringSilent.position = .silent
        board.ringSilent.position = .ring
        opened.close()
        let events = try #require(subscription.withLock { $0 })
        #expect(await positions(events) == [.silent, .ring])
        #expect(await positions(earlier) == [.silent, .ring])
    }
}
