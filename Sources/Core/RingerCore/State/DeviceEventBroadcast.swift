import Synchronization

/// Sends the device's events to every subscriber. Any thread.
package final class DeviceEventBroadcast: Sendable {
    // In this module, which knows the element's type, the compiler specialises it; in another module it would look
    // types up each time.
    private let broadcast = Broadcast<DeviceEvent>()
    /// The newest position, sent first to subscribers that ask for it.
    private let position = Mutex<DeviceEvent?>(nil)

    package init() {}

    /// Subscribes.
    ///
    /// - Parameters:
    ///   - count: How many events a slow subscriber may be behind before its oldest are dropped.
    ///   - startsWithPosition: Whether the switch's newest position is sent first, if there is one.
    /// - Returns: The events from now on, in order.
    package func subscribe(buffering count: Int, startsWithPosition: Bool = false) -> AsyncStream<DeviceEvent> {
        if !startsWithPosition { return broadcast.subscribe(buffering: .bufferingNewest(count)) }
        // No position can come between the first one and the subscription: both happen under the lock.
        return position.withLock { newest in
            broadcast.subscribe(buffering: .bufferingNewest(count), startingWith: newest)
        }
    }

    /// Sends `event` to every subscriber.
    ///
    /// - Returns: How many subscribers lost an event because their buffers were full.
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
