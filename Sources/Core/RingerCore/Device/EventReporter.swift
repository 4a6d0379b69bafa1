import Logging
import Synchronization

/// Sends each event to the relay and the subscribers, as an effect of the transition that reports it, then to the observer and
/// the log on the callback thread. Where there is none of them, an event takes no more than a look.
///
/// While the observer or the log blocks, at most ``Device/eventBuffer`` events wait for it; the oldest of more are dropped,
/// and a `degraded` event counts those. Completions wait on the same thread, and none is dropped: each belongs to a call.
/// Any thread reports.
final class EventReporter: Sendable {
    private let broadcast = Broadcast<DeviceEvent>()
    private let lost = Atomic(0)
    private let backlog = Mutex(EventBacklog())
    private let logger: Logger?
    private let observer: (@Sendable (DeviceEvent) -> Void)?
    private let relay: (@Sendable (DeviceEvent) -> Void)?
    private let clock: any DeviceClock
    private let core: Core
    /// Whether all events go to the relay, the observer or the log.
    private let reportsAll: Bool

    init(clock: any DeviceClock, _ core: Core, _ configuration: Device.Configuration) {
        self.clock = clock
        self.core = core
        logger = configuration.logger
        observer = configuration.observer
        relay = configuration.relay
        reportsAll = relay != nil || observer != nil || logger != nil
    }

    /// The events from now on, after `first`.
    func events(startingWith first: DeviceEvent? = nil) -> AsyncStream<DeviceEvent> {
        broadcast.subscribe(buffering: .bufferingNewest(Device.eventBuffer), startingWith: first)
    }

    var lostEvents: Int { lost.load(ordering: .relaxed) }

    /// Reports an event, which is not computed where nobody gets it.
    func report(_ event: @autoclosure () -> DeviceEvent?) {
        if !reportsAll && broadcast.isEmpty { return }
        guard let event = event() else { return }
        let subscribers = broadcast.subscribers
        core.perform { [self] in send(event, to: subscribers) }
    }

    private func send(_ event: DeviceEvent, to subscribers: Broadcast<DeviceEvent>.Subscribers) {
        relay?(event)
        let count = Broadcast.send(event, to: subscribers)
        if count > 0 { lost.add(count, ordering: .relaxed) }
        guard observer != nil || logger != nil else { return }
        // One call for each event that waits, so that events and completions keep their order.
        if backlog.withLock({ $0.add(event) }) {
            clock.callBack { [self] in deliver() }
        } else {
            lost.add(1, ordering: .relaxed)
        }
    }

    /// Hands the oldest event that waits to the observer and the log, on the callback thread.
    private func deliver() {
        guard let (event, dropped) = backlog.withLock({ $0.take() }) else { return }
        if dropped > 0 {
            let error = RingerError(
                .timedOut, "deliver \(dropped) events", "observer or log",
                detail: "it was blocked: the oldest ones were dropped")
            tell(.degraded(error, at: clock.now))
        }
        tell(event)
    }

    private func tell(_ event: DeviceEvent) {
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
        case .playback(.underrun, _), .playback(.suspended, _), .playback(.waiting, _): .warning
        case .soundEnded(.failed, _, _): .warning
        case .switchMoved, .switchFound, .stateChanged, .key, .session, .routeChanged, .preferencesChanged: .info
        case .decided, .playback, .soundEnded, .vibration: .debug
        }
    }
}

/// The events that wait for the observer and the log: the newest, in order.
private struct EventBacklog {
    private var events: [DeviceEvent] = []
    /// Where the oldest one is in `events`. Those before it are removed many at a time.
    private var first = 0
    private var dropped = 0

    /// Adds an event. If there are too many, the oldest one is dropped.
    ///
    /// - Returns: Whether one more event waits than before.
    mutating func add(_ event: DeviceEvent) -> Bool {
        events.append(event)
        let isOneMore = events.count - first <= Device.eventBuffer
        if !isOneMore {
            first += 1
            dropped += 1
        }
        if first >= Device.eventBuffer {
            events.removeFirst(first)
            first = 0
        }
        return isOneMore
    }

    /// Takes the oldest event, and how many were dropped before it; nil if none waits.
    mutating func take() -> (event: DeviceEvent, dropped: Int)? {
        guard first < events.count else { return nil }
        let event = events[first]
        first += 1
        if first == events.count {
            // The memory of a few events is kept for the next ones.
            events.removeAll(keepingCapacity: first <= 64)
            first = 0
        }
        defer { dropped = 0 }
        return (event, dropped)
    }
}
