import RingerPolicy
import Testing

@testable import RingerCore

@Suite("Events that are announced before they are sent")
struct DeviceEventBroadcastTests {
    private let broadcast = DeviceEventBroadcast()

    private func moved(_ position: SwitchPosition, _ time: Int64) -> DeviceEvent {
        .switchMoved(position, source: "switch", at: MonotonicTime(nanoseconds: time))
    }

    private func first() async -> DeviceEvent? {
        var events = broadcast.subscribe(buffering: 1, startsWithPosition: true).makeAsyncIterator()
        return await events.next()
    }

    @Test("what nobody would get is not sent, and its position is the newest all the same")
    func unheard() async {
        #expect(!broadcast.announce(moved(.silent, 1), isAwaited: false))
        #expect(await first() == moved(.silent, 1))
        #expect(broadcast.announce(moved(.ring, 2), isAwaited: true))
    }

    @Test("while an event waits to be sent, no later one overtakes it, though nobody subscribes any more")
    func order() async {
        var subscription: AsyncStream<DeviceEvent>? = broadcast.subscribe(buffering: 1)
        #expect(subscription != nil && broadcast.announce(moved(.silent, 1), isAwaited: false))
        subscription = nil
        #expect(broadcast.announce(moved(.ring, 2), isAwaited: false))
        #expect(broadcast.send(moved(.silent, 1)) == 0 && broadcast.send(moved(.ring, 2)) == 0)
        #expect(await first() == moved(.ring, 2))
        #expect(!broadcast.announce(moved(.silent, 3), isAwaited: false))
        #expect(await first() == moved(.silent, 3))
    }
}
