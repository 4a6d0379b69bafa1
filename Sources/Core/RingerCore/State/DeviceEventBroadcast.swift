/// Sends the device's events to every subscriber. Any thread.
///
/// In this module, which knows the element's type, the compiler specialises ``Broadcast``; in another module it would look
/// types up each time.
package final class DeviceEventBroadcast: Sendable {
    package typealias Subscribers = [(id: UInt64, continuation: AsyncStream<DeviceEvent>.Continuation)]

    private let broadcast = Broadcast<DeviceEvent>()

    package init() {}

    /// Those who get an event that happens now, though it may be sent later.
    package var subscribers: Subscribers { broadcast.subscribers }
    package var isEmpty: Bool { broadcast.isEmpty }

    /// Subscribes.
    ///
    /// - Parameters:
    ///   - count: How many events a slow subscriber may be behind before its oldest are dropped.
    ///   - first: The first event; nil for none.
    /// - Returns: The events from now on, in order.
    package func subscribe(buffering count: Int, startingWith first: DeviceEvent? = nil) -> AsyncStream<DeviceEvent> {
        broadcast.subscribe(buffering: .bufferingNewest(count), startingWith: first)
    }

    /// Sends `event` to these subscribers.
    ///
    /// - Returns: How many of them lost an event because their buffers were full.
    package func send(_ event: DeviceEvent, to subscribers: Subscribers) -> Int {
        Broadcast.send(event, to: subscribers)
    }

    /// Ends every subscription.
    package func finish() {
        broadcast.finish()
    }
}
