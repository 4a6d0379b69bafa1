import Synchronization

/// Sends the device's events to every subscriber. Any thread.
package final class DeviceEventBroadcast: Sendable {
    // In this module, which knows the element's type, the compiler specialises it; in another module it would look
    // types up each time.
    private let broadcast = Broadcast<DeviceEvent>()
    private let state = Mutex(State())

    private struct State {
        /// The newest position, sent first to subscribers that ask for it.
        var position: DeviceEvent?
        /// How many events were announced and not sent.
        var waiting = 0

        mutating func take(_ event: DeviceEvent) {
            if case .switchMoved = event { position = event }
        }
    }

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
        return state.withLock { state in
            broadcast.subscribe(buffering: .bufferingNewest(count), startingWith: state.position)
        }
    }

    /// Announces an event.
    ///
    /// - Parameter isAwaited: Whether it has to be sent though nobody subscribes.
    /// - Returns: Whether ``send(_:)`` has to follow. Not where nobody would get the event: it is over.
    package func announce(_ event: DeviceEvent, isAwaited: Bool) -> Bool {
        state.withLock { state in
            if !isAwaited && state.waiting == 0 && broadcast.isEmpty {
                state.take(event)
                return false
            }
            state.waiting += 1
            return true
        }
    }

    /// Sends an announced event to every subscriber. One thread at a time does: an effect of the event.
    ///
    /// - Returns: How many subscribers lost an event because their buffers were full.
    package func send(_ event: DeviceEvent) -> Int {
        // Who subscribes from now on begins with this event's position, and does not get it twice.
        let subscribers = state.withLock { state in
            state.waiting -= 1
            state.take(event)
            return broadcast.subscribers
        }
        return Broadcast.send(event, to: subscribers)
    }

    /// Ends every subscription.
    package func finish() {
        broadcast.finish()
    }
}
