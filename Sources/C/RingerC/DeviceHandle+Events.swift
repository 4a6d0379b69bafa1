import CRinger
import RingerLinux

/// What the program gets of the device's events.
extension DeviceHandle {
    static func take(
        _ event: DeviceEvent, _ queue: EventQueue, _ receivers: Receivers, isConnected: Bool
    ) {
        func addProblem(_ sentence: String, _ time: MonotonicTime) {
            queue.addLosable(ringer_event(degraded: sentence, at: time))
        }
        // The event may be of something that no member of the state is about.
        func addState() {
            if let handle = receivers.reference.withLock({ $0.handle }) {
                queue.addState(ringer_state(handle.device.state))
            }
        }
        switch event {
        case .switchMoved: queue.addState()
        case .switchFound, .stateChanged, .routeChanged: addState()
        case .key(let key, let isPressed, let at):
            var event = ringer_event()
            event.type = RINGER_EVENT_KEY
            event.at = at.nanoseconds
            event.u.key.key = key.constant
            event.u.key.is_pressed = isPressed ? 1 : 0
            queue.addLosable(event)
        case .degraded(let error, let at):
            addProblem("\(error)", at)
            addState()
        case .switchLost(let error, _, let at):
            // The loss of the service itself was reported already.
            if !isConnected || error.code != .disconnected { addProblem("\(error)", at) }
            addState()
        case .switchEdgesDropped(let count, let source, let at):
            addProblem("\(source): \(count.map { "\($0) " } ?? "")edges were lost, the position was read again", at)
        case .vibration(.onFailed(let error, let at)), .vibration(.offFailed(let error, _, let at)):
            addProblem("\(error)", at)
        case .detectorDisagrees(let reading, let position, let at):
            addProblem("the switch is at \(position), and sounds are measured to be \(reading.verdict)", at)
        case .fallback(let fallback, _, let at):
            addProblem(fallback.sentence, at)
        case .session(let change, let session, _, let at):
            guard receivers.sessions.withLock({ $0.contains(session) }) else { break }
            var event = ringer_event()
            event.type = RINGER_EVENT_SESSION
            event.at = at.nanoseconds
            event.u.session = ringer_session_event(change, of: session)
            queue.add(event)
        case .playback(.started(let at), let sound):
            receivers.reference.withLock { $0.handle }?.started(sound, at)
        case .playback(.underrun(let at), let sound), .playback(.suspended(let at), let sound):
            receivers.reference.withLock { $0.handle }?.played(sound)?.stream(runs: false, at: at)
        case .playback(.recovered(let at), let sound), .playback(.resumed(let at), let sound):
            receivers.reference.withLock { $0.handle }?.played(sound)?.stream(runs: true, at: at)
        // The ends of requests have their own events; a vibration that reached the longest time on ends as stopped.
        case .decided, .playback, .soundEnded, .vibration(.on), .vibration(.off), .vibration(.limitReached),
            .preferencesChanged:
            break
        }
    }
}
