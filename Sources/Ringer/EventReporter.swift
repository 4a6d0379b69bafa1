import Logging
import RingerServices
import Synchronization

/// Tells every subscriber, and the log, what happens.
final class EventReporter: Sendable {
    private let broadcast = Broadcast<DeviceEvent>()
    private let lost = Atomic(0)
    private let logger: Logger?
    /// The newest position, told first to those who ask for it.
    private let position = Mutex<DeviceEvent?>(nil)

    private let observer: (@Sendable (DeviceEvent) -> Void)?

    init(logger: Logger?, observer: (@Sendable (DeviceEvent) -> Void)?) {
        self.logger = logger
        self.observer = observer
    }

    var events: AsyncStream<DeviceEvent> { broadcast.subscribe(buffering: .bufferingNewest(Device.eventBuffer)) }

    var eventsFromPosition: AsyncStream<DeviceEvent> {
        // No position can be told between the first one and the subscription: both happen under the lock.
        position.withLock { newest in
            broadcast.subscribe(buffering: .bufferingNewest(Device.eventBuffer), startingWith: newest)
        }
    }

    var lostEvents: Int { lost.load(ordering: .relaxed) }

    func report(_ event: DeviceEvent) {
        let count = position.withLock { newest in
            if case .switchMoved = event { newest = event }
            return broadcast.send(event)
        }
        if count > 0 { lost.add(count, ordering: .relaxed) }
        observer?(event)
        if let logger { log(event, to: logger) }
    }

    func finish() {
        broadcast.finish()
    }

    private func log(_ event: DeviceEvent, to logger: Logger) {
        logger.log(level: level(of: event), "\(event)")
    }

    private func level(of event: DeviceEvent) -> Logger.Level {
        switch event {
        case .switchLost, .switchEdgesDropped, .detectorDisagrees, .degraded, .fallback: .warning
        case .vibration(.offFailed): .error
        case .vibration(.onFailed), .vibration(.limitReached): .warning
        case .playback(.underrun, _), .playback(.suspended, _): .warning
        case .soundEnded(.failed, _, _): .warning
        case .switchMoved, .switchFound, .stateChanged, .session, .routeChanged: .info
        case .decided, .playback, .soundEnded, .vibration: .debug
        }
    }
}
