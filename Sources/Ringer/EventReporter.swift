import Logging
import RingerServices
import Synchronization

/// Sends each event to the relay and the subscribers at once, then to the observer and the log on the callback thread.
final class EventReporter: Sendable {
    private let broadcast = DeviceEventBroadcast()
    private let lost = Atomic(0)
    private let logger: Logger?
    private let observer: (@Sendable (DeviceEvent) -> Void)?
    private let relay: (@Sendable (DeviceEvent) -> Void)?
    private let clock: any DeviceClock

    init(clock: any DeviceClock, _ configuration: Device.Configuration) {
        self.clock = clock
        logger = configuration.logger
        observer = configuration.observer
        relay = configuration.relay
    }

    var events: AsyncStream<DeviceEvent> { broadcast.subscribe(buffering: Device.eventBuffer) }

    var eventsFromPosition: AsyncStream<DeviceEvent> {
        broadcast.subscribe(buffering: Device.eventBuffer, startsWithPosition: true)
    }

    var lostEvents: Int { lost.load(ordering: .relaxed) }

    func report(_ event: DeviceEvent) {
        relay?(event)
        let count = broadcast.send(event)
        if count > 0 { lost.add(count, ordering: .relaxed) }
        guard observer != nil || logger != nil else { return }
        clock.callBack { [self] in
            observer?(event)
            if let logger { log(event, to: logger) }
        }
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
        case .playback(.underrun, _), .playback(.suspended, _), .playback(.waiting, _): .warning
        case .soundEnded(.failed, _, _): .warning
        case .switchMoved, .switchFound, .stateChanged, .key, .session, .routeChanged: .info
        case .decided, .playback, .soundEnded, .vibration: .debug
        }
    }
}
