import Synchronization

/// What happens on a device, told to every subscriber.
package final class DeviceEventBroadcast: Sendable {
    // Here, where the element is known, the compiler specialises it; in another module it would look its types up each time.
    private let broadcast = Broadcast<DeviceEvent>()
    /// The newest position, told first to those who ask for it.
    private let position = Mutex<DeviceEvent?>(nil)

    /// A broadcast without subscribers.
    package init() {}

    /// Subscribes.
    ///
    /// - Parameters:
    ///   - count: How many events a slow subscriber may be behind before the oldest are dropped for it.
    ///   - startsWithPosition: Whether the switch's newest position is told first, if there was one.
    /// - Returns: The events from now on, in order.
    package func subscribe(buffering count: Int, startsWithPosition: Bool = false) -> AsyncStream<DeviceEvent> {
        if !startsWithPosition { return broadcast.subscribe(buffering: .bufferingNewest(count)) }
        // No position can be told between the first one and the subscription: both happen under the lock.
        return position.withLock { newest in
            broadcast.subscribe(buffering: .bufferingNewest(count), startingWith: newest)
        }
    }

    /// Tells every subscriber `event`.
    ///
    /// - Returns: How many subscribers' buffers were full, so that an event was lost there.
    package func send(_ event: DeviceEvent) -> Int {
        position.withLock { newest in
            if case .switchMoved = event { newest = event }
            return broadcast.send(event)
        }
    }

    /// Ends every subscription.
    package func finish() {
        broadcast.finish()
    }
}
