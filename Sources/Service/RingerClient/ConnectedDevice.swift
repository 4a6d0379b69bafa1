import Ringer
import RingerBus
import RingerCore
import Synchronization

/// The service's device as this process uses it: its state, and this process's sounds, sessions and vibrations there.
///
/// Everything runs on the loop's thread; the methods of ``DeviceService`` hand their work over to it, in order.
// SAFETY: all state but the preferences, which have a lock, is used on the loop's thread alone.
final class ConnectedDevice: @unchecked Sendable {
    let link: ServiceLink
    private let current: Mutex<UserPreferences>
    private var followSwitch: (@Sendable (SwitchEvent) -> Void)?
    private var followState: (@Sendable (DeviceStateChange) -> Void)?
    private var followPreferences: (@Sendable (UserPreferences) -> Void)?
    private var followSession: (@Sendable (SessionID, SessionVerdict) -> Void)?
    private var followActivity: (@Sendable (SessionActivity) -> Void)?
    private var playing: [ObjectIdentifier: ServicePlayback] = [:]
    /// What this process shows on the status light, and the request for it.
    private var light: (pattern: LightPattern, request: ServiceLink.Request)?
    private var vibrations: [UInt64: ServiceLink.Request] = [:]
    private var sessions: [SessionID: RemoteSession] = [:]
    private var sessionsByPath: [String: SessionID] = [:]

    /// A session at the service.
    private struct RemoteSession {
        /// What the service was told last.
        var state: SessionState
        /// The session's object; nil until the service has answered.
        var path: String?
        /// Why the service did not make it.
        var refusal: RingerError?
        var isActive = false
        /// What waits for the object.
        var waiting: [(Result<String, RingerError>) -> Void] = []
    }

    /// - Parameter link: The connection, which has read the service's properties.
    init(_ link: ServiceLink) {
        self.link = link
        current = Mutex(Self.preferences(in: link.properties) ?? UserPreferences())
        link.onChange = { [unowned self] in changed($0) }
        link.onLoss = { [unowned self] in lost($0) }
        link.onReturn = { [unowned self] in returned() }
        link.onKey = { [unowned self] in followState?($0) }
        link.onSessionSignal = { [unowned self] path, member, arguments in
            sessionSignal(path, member, arguments)
        }
    }

    /// The device, and what the service has as it is made: on the loop's thread, which alone reads what the service reports.
    struct Parts: Sendable {
        let device: ConnectedDevice
        let motorName, lightName: String?
        let hasSwitch: Bool
        let board: RouteBoard

        init(_ link: ServiceLink) {
            device = ConnectedDevice(link)
            (motorName, lightName) = (device.motorName, device.lightName)
            (hasSwitch, board) = (device.hasSwitch, device.board)
        }
    }

    /// The service's motor; nil where it has none.
    private var motorName: String? { link.properties["Motor"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// The service's status light; nil where it has none.
    private var lightName: String? { link.properties["StatusLight"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether the service's device has a switch.
    private var hasSwitch: Bool { link.properties["SwitchReadability"]?.string != "none" }

    /// The routes that are present at the service, jacks left out.
    private var routes: Set<AudioRoute> {
        Set((link.properties["Routes"]?.strings ?? []).compactMap(AudioRoute.init(rawValue:)))
            .subtracting([.headphone, .headset])
    }

    /// The routes of the service's board, as far as they are present or may come.
    private var board: RouteBoard {
        let others = routes.union([.bluetooth]).subtracting([.speaker])
        return RouteBoard(
            pcm: "service", routes: Dictionary(uniqueKeysWithValues: others.map { ($0, "service") }))
    }

    /// Forgets who follows it, and leaves the bus.
    func close() {
        link.close()
        (followSwitch, followState, followPreferences) = (nil, nil, nil)
        (followSession, followActivity) = (nil, nil)
    }

    // MARK: - State

    func follow(switchEvents handler: (@Sendable (SwitchEvent) -> Void)?) {
        followSwitch = handler
        reportSwitch()
    }

    func follow(changes handler: (@Sendable (DeviceStateChange) -> Void)?) {
        followState = handler
        report(Set(link.properties.keys))
    }

    private func changed(_ names: Set<String>) {
        if names.contains("Preferences"), let preferences = Self.preferences(in: link.properties) {
            current.withLock { $0 = preferences }
            followPreferences?(preferences)
        }
        if names.contains("SwitchPosition") || names.contains("SwitchReadability") { reportSwitch() }
        if names.contains("PlaybackSilenced") { reportActivity() }
        report(names)
    }

    private func reportActivity() {
        followActivity?(link.properties["PlaybackSilenced"]?.boolean == true ? .silencesPlayback : [])
    }

    private func reportSwitch() {
        guard let followSwitch else { return }
        let now = link.clock.now
        let position = link.properties["SwitchPosition"]?.string.flatMap(SwitchPosition.init(rawValue:))
        guard let position, link.properties["SwitchReadability"]?.string == "readable" else {
            let error = RingerError(
                .permissionDenied, "read the position", "ring/silent switch",
                detail: "the service cannot read it: ringer doctor on the service's machine says why")
            return followSwitch(.lost(error, at: now))
        }
        followSwitch(.position(position, at: now))
    }

    private func report(_ names: Set<String>) {
        guard let followState else { return }
        let properties = link.properties
        if names.contains("Jacks") {
            let jacks = properties["Jacks"]?.strings ?? []
            followState(.headphoneInserted(jacks.contains("headphone")))
            followState(.microphoneInserted(jacks.contains("microphone")))
        }
        if names.contains("Routes") {
            for route in [AudioRoute.bluetooth] { followState(.routePresent(route, routes.contains(route))) }
        }
        if names.contains("Volume"), let volume = properties["Volume"]?.double {
            followState(.outputVolume(volume < 0 ? nil : Float(volume)))
        }
        if names.contains("InputAvailable"), let isAvailable = properties["InputAvailable"]?.boolean {
            followState(.inputAvailable(isAvailable))
        }
        reportHardware(names)
        if names.contains("ScreenLocked"), let isLocked = properties["ScreenLocked"]?.boolean {
            followState(.screenLocked(isLocked))
        }
    }

    /// What the service's hardware granted. A service that has just started has asked nothing yet: the last figures stay.
    private func reportHardware(_ names: Set<String>) {
        let properties = link.properties
        func number(_ name: String) -> Double {
            // What is not finite is no duration.
            properties[name]?.double.flatMap { (0...1_000_000).contains($0) ? $0 : nil } ?? 0
        }
        func count(_ name: String) -> Int { Int(properties[name]?.uint32 ?? 0) }
        func format(channels: String, latency: String) -> SoundPortFormat {
            SoundPortFormat(
                sampleRate: number("SampleRate"), channels: count(channels),
                bufferDuration: .seconds(number("BufferDuration")), latency: .seconds(number(latency)))
        }
        if !names.isDisjoint(with: ["SampleRate", "OutputChannels", "OutputLatency", "BufferDuration"]),
            number("SampleRate") > 0
        {
            followState?(.outputFormat(format(channels: "OutputChannels", latency: "OutputLatency")))
        }
        if !names.isDisjoint(with: ["InputChannels", "InputLatency"]) {
            followState?(.inputFormat(format(channels: "InputChannels", latency: "InputLatency")))
        }
        if names.contains("OutputLost"), let isLost = properties["OutputLost"]?.boolean {
            followState?(.outputLost(isLost))
        }
    }

    private static func preferences(in properties: [String: BusValue]) -> UserPreferences? {
        guard let value = properties["Preferences"] else { return nil }
        var preferences = UserPreferences()
        do throws(BusError) {
            try preferences.set(value)
            return preferences
        } catch {
            return nil
        }
    }

    // MARK: - Losing and finding the service

    private func lost(_ error: RingerError) {
        link.onDegraded?(error)
        followState?(.lost(error))
        followState?(.outputLost(true))
        if hasSwitch { followSwitch?(.lost(error, at: link.clock.now)) }
        followActivity?([])
        sessionsByPath = [:]
        for id in sessions.keys {
            sessions[id]?.path = nil
            // Nobody ducks it any more, or plays beside it.
            followSession?(id, .ducked(false))
            followSession?(id, .otherAudio(isPlaying: false))
            let waiting = sessions[id]?.waiting ?? []
            sessions[id]?.waiting = []
            for body in waiting { body(.failure(error)) }
        }
    }

    private func returned() {
        followState?(.found)
        if hasSwitch {
            followSwitch?(.found(at: link.clock.now))
            reportSwitch()
        }
        reportActivity()
        report(Set(link.properties.keys))
        if let light { show(light.pattern) }
        for id in sessions.keys.sorted() {
            create(id)
            guard sessions[id]?.isActive == true else { continue }
            activateThere(id) { [self] error in
                guard let error else {
                    // What interrupted it went with the service, or is activated later and interrupts it anew.
                    followSession?(id, .interruptionEnded(shouldResume: true))
                    return
                }
                sessions[id]?.isActive = false
                // It was active, and is not any more.
                followSession?(id, .interrupted)
                followSession?(id, .interruptionEnded(shouldResume: false))
                link.onDegraded?(
                    RingerError(.busy, "activate again", "session \(id.rawValue)", detail: "\(error)"))
            }
        }
    }

    // MARK: - The status light

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
                            .system, "show \(pattern.text)", lightName ?? "status light",
                            detail: outcome.details["message"]?.string))
                default: break
                }
            }
            light = (pattern, request)
        }
        // After the new one, so that the light does not go out in between.
        if let last { link.stop(last.request) }
    }

    // MARK: - Sounds

    func play(
        _ sound: PCMBuffer, _ terms: SoundTerms?, _ playback: ServicePlayback,
        _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        let request = terms?.request ?? .systemSound(isUISound: false)
        switch request {
        case .session(let category, let options, _, _):
            if let id = terms?.session {
                return whenMade(id) { [self] result in
                    switch result {
                    case .success(let path):
                        begin(sound, path, RingerNames.sessionInterface, [:], playback, handler)
                    case .failure(let error):
                        handler(.ended(.failed(error), at: link.clock.now, .init(played: 0, total: sound.frames)))
                    }
                }
            }
            begin(
                sound, ["category": .string(category.rawValue), "options": .strings(options.names)], terms, playback,
                handler)
        case .systemSound(let isUISound):
            begin(sound, ["as": .string("systemSound"), "uiSound": .boolean(isUISound)], terms, playback, handler)
        case .notification(let volume, let isCritical):
            let options: [String: BusValue] = [
                "as": .string("notification"), "volume": .double(Double(volume)), "critical": .boolean(isCritical),
            ]
            begin(sound, options, terms, playback, handler)
        case .alert, .vibration:
            begin(sound, ["as": .string("alert")], terms, playback, handler)
        }
    }

    private func begin(
        _ sound: PCMBuffer, _ options: [String: BusValue], _ terms: SoundTerms?, _ playback: ServicePlayback,
        _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        var options = options
        if terms?.outlivesProcess == true { options["completePlaybackIfAppDies"] = .boolean(true) }
        begin(sound, RingerNames.path, RingerNames.interface, options, playback, handler)
    }

    private func begin(
        _ sound: PCMBuffer, _ path: String, _ interface: String, _ options: [String: BusValue],
        _ playback: ServicePlayback, _ handler: @escaping @Sendable (PlaybackEvent) -> Void
    ) {
        let key = ObjectIdentifier(playback)
        func end(_ end: PlaybackEnd, _ details: [String: BusValue] = [:]) {
            playing[key] = nil
            let position = StreamPosition(
                played: min(Int(clamping: details["played"]?.uint64 ?? 0), sound.frames), total: sound.frames)
            handler(.ended(end, at: details["ended"]?.time ?? link.clock.now, position))
            for body in playback.whenEnded { body() }
            playback.whenEnded = []
        }
        if playback.isStopped { return end(.stopped) }
        playing[key] = playback
        do throws(RingerError) {
            playback.request = try sound.withFile { file in
                link.request(path, interface, "Play", [.variant(.descriptor(file)), .dictionary(options)]) { event in
                    switch event {
                    case .started(let time): handler(.started(at: time))
                    case .ended(let outcome): end(PlaybackEnd(outcome), outcome.details)
                    case .failed(let error): end(error.code == .closed ? .stopped : .failed(error))
                    }
                }
            }
        } catch {
            end(.failed(error))
        }
    }

    func stopSounds() {
        for playback in playing.values { playback.stopNow() }
    }

    /// Has the service close its PCMs once the stopped sounds of this process have ended. `completion` is called when they
    /// are closed, or the service is gone.
    func releaseOutput(stoppingSounds: Bool, _ completion: @escaping @Sendable () -> Void) {
        if stoppingSounds { stopSounds() }
        let stopped = playing.values.filter(\.isStopped)
        var left = stopped.count
        func release() {
            if !link.isPresent { return completion() }
            link.call(RingerNames.path, RingerNames.interface, "ReleaseOutput") { _ in completion() }
        }
        if stopped.isEmpty { return release() }
        for playback in stopped {
            playback.whenEnded.append {
                left -= 1
                if left == 0 { release() }
            }
        }
    }

    // MARK: - Sessions

    private func sessionSignal(_ path: String, _ member: String, _ arguments: [BusValue]) {
        guard let id = sessionsByPath[path] else { return }
        let argument = arguments.first
        switch member {
        case "InterruptionBegan": followSession?(id, .interrupted)
        case "InterruptionEnded":
            let shouldResume = argument?.boolean ?? false
            sessions[id]?.isActive = shouldResume
            followSession?(id, .interruptionEnded(shouldResume: shouldResume))
        case "RefusalEnded": followSession?(id, .refusalEnded)
        case "Ducked": followSession?(id, .ducked(argument?.boolean ?? false))
        case "PropertiesChanged" where arguments.count > 1:
            guard let isPlaying = arguments[1].dictionary?["OtherAudioPlaying"]?.boolean else { break }
            followSession?(id, .otherAudio(isPlaying: isPlaying))
        default: break
        }
    }

    /// Makes the session there, and calls what waits for it.
    private func create(_ id: SessionID) {
        guard let state = sessions[id]?.state else { return }
        sessions[id]?.refusal = nil
        var options: [String: BusValue] = [
            "name": .string(state.name), "priority": .int32(Int32(clamping: state.priority.rawValue)),
        ]
        if state.isCategorySet {
            options["category"] = .string(state.settings.category.rawValue)
            options["options"] = .strings(state.settings.sentOptions.names)
        }
        link.call(RingerNames.path, RingerNames.interface, "CreateSession", [.dictionary(options)]) { [self] result in
            let made = result.map { $0.first?.string ?? "" }
            // It was removed meanwhile: the service need not keep it.
            guard sessions[id] != nil else {
                if case .success(let path) = made { release(path) }
                return
            }
            switch made {
            case .success(let path):
                sessions[id]?.path = path
                sessionsByPath[path] = id
                if state.isInBackground { set("Background", true, path) }
                if state.settings.isSpoken { set("Spoken", true, path) }
            case .failure(let error):
                sessions[id]?.refusal = error
            }
            let waiting = sessions[id]?.waiting ?? []
            sessions[id]?.waiting = []
            for body in waiting { body(made) }
        }
    }

    private func whenMade(_ id: SessionID, _ body: @escaping (Result<String, RingerError>) -> Void) {
        guard let session = sessions[id] else { return body(.failure(Self.isRemoved(id))) }
        if let path = session.path { return body(.success(path)) }
        if let refusal = session.refusal { return body(.failure(refusal)) }
        if !link.isPresent {
            return body(
                .failure(RingerError(.disconnected, "use session \(id.rawValue)", "service \(RingerNames.service)")))
        }
        sessions[id]?.waiting.append(body)
    }

    private static func isRemoved(_ id: SessionID) -> RingerError {
        RingerError(.closed, "use the session", "session \(id.rawValue)", detail: "it was removed")
    }

    private func set(_ property: String, _ value: Bool, _ path: String) {
        link.send(
            "Set", [.string(RingerNames.sessionInterface), .string(property), .variant(.boolean(value))], path: path,
            interface: BusInterface.properties)
    }

    private func release(_ path: String) {
        link.send("Release", [], path: path, interface: RingerNames.sessionInterface)
    }

    private func activateThere(_ id: SessionID, _ completion: @escaping (SessionError?) -> Void) {
        whenMade(id) { [self] result in
            switch result {
            case .success(let path):
                link.call(path, RingerNames.sessionInterface, "Activate") { result in
                    switch result {
                    case .success: completion(nil)
                    case .failure(let error): completion(SessionError(error, "activate", id))
                    }
                }
            case .failure(let error): completion(SessionError(error, "activate", id))
            }
        }
    }
}

extension ConnectedDevice {
    /// Sets the service's output volume, and returns once it has. On the loop's own thread it returns at once, and an error
    /// is reported instead.
    func setOutputVolume(_ volume: Float) throws(RingerError) {
        let (isAnswered, failure) = (Latch(), Failure())
        let waits = !link.loop.isCurrentThread
        link.loop.execute { [self] in
            let value = BusValue.double(Double(volume))
            link.call(
                RingerNames.path, BusInterface.properties, "Set",
                [.string(RingerNames.interface), .string("Volume"), .variant(value)]
            ) { [self] result in
                switch result {
                case .success: followState?(.outputVolume(volume))
                case .failure(let error):
                    if waits { failure.set(error) } else { link.onDegraded?(error) }
                }
                isAnswered.open()
            }
        }
        guard waits else { return }
        isAnswered.wait()
        if let error = failure.error { throw error }
    }

    private final class Failure: Sendable {
        private let state = Mutex<RingerError?>(nil)
        var error: RingerError? { state.withLock { $0 } }
        func set(_ error: RingerError) { state.withLock { $0 = error } }
    }
}

extension ConnectedDevice: DeviceService {
    var preferences: UserPreferences { current.withLock { $0 } }

    func setPreferences(_ preferences: UserPreferences) {
        current.withLock { $0 = preferences }
        link.loop.execute { [self] in
            let values: [BusValue] = [
                .string(RingerNames.interface), .string("Preferences"), .variant(.dictionary(preferences.busValues)),
            ]
            link.call(RingerNames.path, BusInterface.properties, "Set", values) { [self] result in
                guard case .failure(let error) = result else { return }
                link.onDegraded?(error)
                // What the service has is in force.
                guard let preferences = Self.preferences(in: link.properties) else { return }
                current.withLock { $0 = preferences }
                followPreferences?(preferences)
            }
        }
    }

    func setScreenLocked(_ isLocked: Bool) {
        link.loop.execute { [self] in
            link.send(
                "Set", [.string(RingerNames.interface), .string("ScreenLocked"), .variant(.boolean(isLocked))],
                interface: BusInterface.properties)
        }
    }

    func follow(
        preferences: @escaping @Sendable (UserPreferences) -> Void,
        sessions: @escaping @Sendable (SessionID, SessionVerdict) -> Void,
        activity: @escaping @Sendable (SessionActivity) -> Void
    ) {
        link.loop.sync { [self] in
            followPreferences = preferences
            followSession = sessions
            followActivity = activity
            reportActivity()
        }
    }

    func update(_ session: SessionState) {
        if session.isOwn { return }
        let id = session.id
        link.loop.execute { [self] in
            guard let last = sessions[id]?.state else {
                sessions[id] = RemoteSession(state: session)
                // A service that returns gets every session.
                return link.isPresent ? create(id) : ()
            }
            sessions[id]?.state = session
            guard let path = sessions[id]?.path else {
                // Not made yet: told once it is.
                if last.settings != session.settings || last.isInBackground != session.isInBackground {
                    whenMade(id) { [self] result in
                        if case .success(let path) = result { tell(session, last, path) }
                    }
                }
                return
            }
            tell(session, last, path)
        }
    }

    /// Tells the service what changed.
    private func tell(_ session: SessionState, _ last: SessionState, _ path: String) {
        let (new, old) = (session.settings, last.settings)
        if new.category != old.category || new.sentOptions != old.sentOptions
            || session.isCategorySet != last.isCategorySet
        {
            link.send(
                "SetCategory", [.string(new.category.rawValue), .strings(new.sentOptions.names)], path: path,
                interface: RingerNames.sessionInterface)
        }
        if new.isSpoken != old.isSpoken { set("Spoken", new.isSpoken, path) }
        if session.isInBackground != last.isInBackground { set("Background", session.isInBackground, path) }
    }

    func remove(_ session: SessionID) {
        link.loop.execute { [self] in
            guard let removed = sessions.removeValue(forKey: session) else { return }
            if let path = removed.path {
                sessionsByPath[path] = nil
                release(path)
            }
            for body in removed.waiting { body(.failure(Self.isRemoved(session))) }
        }
    }

    func activate(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void) {
        link.loop.execute { [self] in
            activateThere(session) { [self] error in
                if error == nil { sessions[session]?.isActive = true }
                completion(error)
            }
        }
    }

    func deactivate(_ session: SessionID, notifyOthers: Bool, completion: @escaping @Sendable () -> Void) {
        link.loop.execute { [self] in
            sessions[session]?.isActive = false
            whenMade(session) { [self] result in
                guard case .success(let path) = result else { return completion() }
                link.call(path, RingerNames.sessionInterface, "Deactivate", [.boolean(notifyOthers)]) { _ in
                    completion()
                }
            }
        }
    }

    func vibrate(
        _ vibration: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (VibrationEnd) -> Void
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
                case .ended(let outcome): completion(VibrationEnd(outcome))
                case .failed(let error): completion(error.code == .closed ? .stopped : .failed(error))
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
            let switchPosition = link.properties["SwitchPosition"]?.string.flatMap(SwitchPosition.init(rawValue:))
            let clock = link.clock
            let route = link.properties["Route"]?.string.flatMap(AudioRoute.init(rawValue:)) ?? .speaker
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
