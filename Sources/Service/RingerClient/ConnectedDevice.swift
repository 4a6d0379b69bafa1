import RingerCore
import RingerBus
import Synchronization

/// The service's device as this process uses it: its state, and this process's sounds, sessions and vibrations there.
///
/// Everything runs on the loop's thread; the methods of ``DeviceService`` hand their work over to it, in order.
// SAFETY: all state but the preferences, which have a lock, is used on the loop's thread alone.
final class ConnectedDevice: @unchecked Sendable {
    let link: ServiceLink
    let state: ServiceState
    let sounds: ServiceSounds
    private let sessions: ServiceSessions
    private let current: Mutex<UserPreferences>
    private var onPreferences: (@Sendable (UserPreferences) -> Void)?
    /// What this process shows on the status light, and the request for it.
    private var light: (pattern: LightPattern, request: ServiceLink.Request)?
    private var vibrations: [UInt64: ServiceLink.Request] = [:]

    /// - Parameter link: The connection, which has read the service's properties.
    init(_ link: ServiceLink) {
        self.link = link
        state = ServiceState(link)
        sessions = ServiceSessions(link)
        sounds = ServiceSounds(link, sessions)
        current = Mutex(state.preferences ?? UserPreferences())
        // The link outlives it by what it is about to report when the device's last user lets go of it.
        link.onChange = { [weak self] names in
            guard let self else { return }
            if names.contains("Preferences") { takePreferences() }
            state.changed(names)
        }
        link.onLoss = { [weak self] error in
            guard let self else { return }
            self.link.onDegraded?(error)
            state.lost(error)
            sessions.lost(error)
            sounds.lost()
        }
        link.onReturn = { [weak self] in
            guard let self else { return }
            state.returned()
            if let light { show(light.pattern) }
            sessions.returned()
        }
        link.onKey = { [weak self] in self?.state.onChange?($0) }
        link.onSessionSignal = { [weak self] in self?.sessions.take($0, $1, $2) }
    }

    /// The device, and what the service has as it is made: on the loop's thread, which alone reads what the service reports.
    struct Parts: Sendable {
        let device: ConnectedDevice
        let motorName, lightName: String?
        let hasSwitch: Bool
        let board: RouteBoard

        init(_ link: ServiceLink) {
            device = ConnectedDevice(link)
            (motorName, lightName) = (device.state.motorName, device.state.lightName)
            (hasSwitch, board) = (device.state.hasSwitch, device.state.board)
        }
    }

    /// Forgets who follows it, and leaves the bus.
    func close() {
        link.close()
        (state.onSwitch, state.onChange, state.onActivity) = (nil, nil, nil)
        (onPreferences, sessions.onVerdict) = (nil, nil)
    }

    /// What the service has is in force.
    private func takePreferences() {
        guard let preferences = state.preferences else { return }
        current.withLock { $0 = preferences }
        onPreferences?(preferences)
    }

    func show(_ pattern: LightPattern) {
        let last = light.take()
        if pattern != .off {
            let request = link.request(
                RingerNames.path, RingerNames.interface, "Light", [.string(pattern.text)]
            ) { [self] event in
                switch event {
                case .failed(let error) where error.code != .closed && error.code != .disconnected:
                    link.onDegraded?(error)
                case .ended(let outcome) where outcome.outcome == "failed":
                    link.onDegraded?(
                        RingerError(
                            .system, "show \(pattern.text)", state.lightName ?? "status light",
                            detail: outcome.details["message"]?.string))
                default: break
                }
            }
            light = (pattern, request)
        }
        // After the new one, so that the light does not go out in between.
        if let last { link.stop(last.request) }
    }

    /// Sets the service's output volume, and returns once it has. On the loop's own thread it returns at once, and an error
    /// is reported instead.
    func setOutputVolume(_ volume: Float) throws(RingerError) {
        func set(_ completion: @escaping @Sendable (RingerError?) -> Void) {
            link.loop.execute { [self] in
                link.set("Volume", to: .double(Double(volume))) { [self] error in
                    if error == nil { state.onChange?(.outputVolume(volume)) }
                    completion(error)
                }
            }
        }
        if link.loop.isCurrentThread {
            set { [self] in if let error = $0 { link.onDegraded?(error) } }
        } else if let error = Device.wait(set) {
            throw error
        }
    }
}

extension ConnectedDevice: DeviceService {
    var preferences: UserPreferences { current.withLock { $0 } }

    func setPreferences(_ preferences: UserPreferences, completion: @escaping @Sendable (RingerError?) -> Void) {
        let before = current.withLock { current in
            defer { current = preferences }
            return current.busValues
        }
        link.loop.execute { [self] in
            // The others may have been set by another client meanwhile, and an older service refuses those that it does not know.
            let changes = preferences.busValues.filter { before[$0.key] != $0.value }
            link.set("Preferences", to: .dictionary(changes)) { [self] error in
                if let error {
                    link.onDegraded?(error)
                    takePreferences()
                }
                completion(error)
            }
        }
    }

    func setScreenLocked(_ isLocked: Bool) {
        link.loop.execute { [self] in link.set("ScreenLocked", to: .boolean(isLocked)) }
    }

    func setPosition(
        _ position: SwitchPosition?, until: Int64?, completion: @escaping @Sendable (RingerError?) -> Void
    ) {
        link.loop.execute { [self] in
            let word = BusValue.string(position?.rawValue ?? "toggle")
            guard let until else {
                return link.call(RingerNames.path, RingerNames.interface, "SetPosition", [word]) {
                    completion($0.error)
                }
            }
            // The position without its end would be another one.
            guard state.keepsEnds else {
                return completion(
                    RingerError(
                        .unsupported, "set the position", "until \(until)",
                        detail: "the service is too old: its positions do not end by themselves"))
            }
            guard until > 0 else {
                return completion(
                    RingerError(.invalid, "set the position", "until \(until)", detail: "it is not in the future"))
            }
            link.call(RingerNames.path, RingerNames.interface, "SetPositionUntil", [word, .wallTime(until)]) {
                completion($0.error)
            }
        }
    }

    func follow(
        preferences: @escaping @Sendable (UserPreferences) -> Void,
        sessions: @escaping @Sendable (SessionID, SessionVerdict) -> Void,
        activity: @escaping @Sendable (SessionActivity) -> Void
    ) {
        link.loop.sync { [self] in
            onPreferences = preferences
            self.sessions.onVerdict = sessions
            state.onActivity = activity
        }
    }

    func update(_ session: SessionState) {
        if session.isOwn { return }
        link.loop.execute { [self] in sessions.update(session) }
    }

    func remove(_ session: SessionID) {
        link.loop.execute { [self] in sessions.remove(session) }
    }

    func activate(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void) {
        link.loop.execute { [self] in sessions.activate(session, completion: completion) }
    }

    func confirmActive(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void) {
        link.loop.execute { [self] in sessions.confirmActive(session, completion: completion) }
    }

    func deactivate(_ session: SessionID, notifyOthers: Bool, completion: @escaping @Sendable () -> Void) {
        link.loop.execute { [self] in
            sessions.deactivate(session, notifyOthers: notifyOthers, completion: completion)
        }
    }

    func vibrate(
        _ vibration: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (SoundOutcome) -> Void
    ) {
        link.loop.execute { [self] in
            var options: [String: BusValue] = ["strength": .double(Double(pattern.strength))]
            switch pattern.repetition {
            case .times(let count): options["times"] = .uint32(UInt32(clamping: count))
            case .untilStopped: options["times"] = .uint32(0)
            }
            vibrations[vibration] = link.request(
                RingerNames.path, RingerNames.interface, "Vibrate", [.string(pattern.text), .dictionary(options)]
            ) { [self] event in
                switch event {
                case .started: return
                case .ended(let outcome): completion(SoundOutcome(outcome, "vibrate"))
                case .failed(let error): completion(error.code == .closed ? .stopped(.caller) : .failed(error))
                }
                vibrations[vibration] = nil
            }
        }
    }

    func stopVibration(_ vibration: UInt64?) {
        link.loop.execute { [self] in
            for (number, request) in vibrations where vibration == nil || vibration == number { link.stop(request) }
        }
    }

    func measure(completion: @escaping @Sendable (MuteReading) -> Void) {
        link.loop.execute { [self] in
            let (switchPosition, route) = (state.readPosition, state.route)
            let clock = link.clock
            link.request(RingerNames.path, RingerNames.interface, "Detect", []) { event in
                switch event {
                case .started: break
                case .ended(let outcome):
                    completion(MuteReading(outcome, switchPosition, clock.now))
                case .failed(let error):
                    completion(
                        MuteReading(
                            verdict: .unknown, elapsed: .zero, threshold: .zero, route: route,
                            switchPosition: switchPosition, cause: .outputFailed(error), way: .service, attempts: 1,
                            at: clock.now))
                }
            }
        }
    }
}
