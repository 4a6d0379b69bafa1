@_exported import SessionRules
import Synchronization

/// The audio sessions of the device: makes them, arbitrates between them, and applies the result to their sounds.
/// Any thread.
///
/// The consequences of a request are carried out in order: other sessions are interrupted or ducked before the request
/// completes. Subscribers are notified afterwards, and a slow one delays no other.
public final class AudioSessions: Sendable {
    /// Why a request was refused; nil if it was not.
    typealias Answer = @Sendable (SessionError?) -> Void

    package var core: Core { publisher.core }
    package let player: SoundPlayer
    let publisher: StatePublisher
    private let registry: SessionRegistry
    let runner: StateMachineRunner<SessionPlaybackMachine>
    /// Reports something that does not work as it should.
    package let reportDegraded: @Sendable (RingerError) -> Void
    let clock: any DeviceClock
    private let completions = CompletionTable<UInt64, SessionError?>()
    /// Arbitrates these sessions with those of other processes; nil where this process has the device.
    let deviceService: (any DeviceService)?
    let turns = SessionTurns()
    private let settled = TransitionState<[Observer]>([])
    private let followsRules = TransitionState(false)
    let nextNumber = Atomic<UInt64>(0)
    private let hasGivenUp = Atomic(false)
    private let otherAudio: (@Sendable () -> Bool)?

    /// The sessions of a device.
    ///
    /// - Parameters:
    ///   - player: Plays their sounds.
    ///   - publisher: The device's state, which they follow, and which gets their activity.
    ///   - clock: The device's time.
    ///   - board: The routes that the device has.
    ///   - output: The output that gets their preferences and is asked what it grants; nil for none.
    ///   - input: The input that is asked what it grants; nil for none.
    ///   - otherAudio: Returns whether another process plays; nil if only ``DeviceStateChange/otherAudioPlaying(_:)``
    ///     reports it.
    ///   - report: Called with the sessions' events, in order.
    package init(
        player: SoundPlayer, publisher: StatePublisher, clock: any DeviceClock, board: RouteBoard = .standard,
        output: (any SoundOutput)? = nil, input: (any SoundInput)? = nil, otherAudio: (@Sendable () -> Bool)? = nil,
        service: (any DeviceService)? = nil,
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        let core = publisher.core
        self.player = player
        self.publisher = publisher
        self.clock = clock
        self.otherAudio = otherAudio
        deviceService = service
        reportDegraded = { error in core.perform { report(.degraded(error, at: clock.now)) } }
        let registry = SessionRegistry(core)
        self.registry = registry
        publisher.setHasReceiver(board.hasReceiver)
        let formats = FormatNegotiator(output: output, input: input, publisher: publisher, clock: clock, report: report)
        let (completions, settled) = (completions, settled)
        let coordinator = SessionCoordinator(
            board: board, isArbitratedElsewhere: service != nil, at: UInt64(clamping: clock.now.nanoseconds))
        runner = StateMachineRunner(SessionPlaybackMachine(coordinator: coordinator), in: core) { action, runner in
            func tell(_ told: [(SessionID, SessionEvent)], _ judged: [(SessionID, SessionEvent)] = []) {
                if let follower = registry.follower {
                    core.perform {
                        follower.sessionsChanged(told) {
                            runner.read {
                                SessionSnapshot(
                                    coordinator: $0.coordinator, state: publisher.state,
                                    preferences: player.preferences, hardware: publisher.hardware)
                            }
                        }
                    }
                }
                let told = told + judged
                if told.isEmpty { return }
                core.perform {
                    let now = clock.now
                    let entries = core.read { told.map { registry.entries[$0.0] } }
                    // One stream after another, and each session's events together: notifying a subscriber that is awake
                    // already is cheap.
                    for (told, entry) in zip(told, entries) {
                        report(.session(told.1, session: told.0, name: entry?.name ?? "", at: now))
                    }
                    let order = told.indices.sorted { (told[$0].0.rawValue, $0) < (told[$1].0.rawValue, $1) }
                    for index in order { entries[index]?.events.send(told[index].1) }
                }
            }
            switch action {
            case .begin(let number, let terms):
                player.start(SoundPlayer.ID(number: number), under: terms)
            case .refuse(let number, let error):
                player.end(SoundPlayer.ID(number: number), .failed(RingerError(error)))
            case .silence(let number, let reason):
                report(.soundEnded(.silenced(by: reason), sound: number, at: clock.now))
                player.end(SoundPlayer.ID(number: number), .silenced(by: reason))
            case .setTerms(let numbers, let terms):
                for number in numbers { player.setTerms(terms, of: SoundPlayer.ID(number: number)) }
            case .stop(let numbers, let cause):
                for number in numbers { player.stop(SoundPlayer.ID(number: number), because: cause) }
            case .releaseOutput:
                core.perform { output?.release(stoppingSounds: false) {} }
            case .tell(let told):
                tell(told)
            case .setActivity(let activity):
                publisher.ownSessions(are: activity)
            case .setDeviceRoute(let change):
                if let route = change.new.output { publisher.setDeviceRoute(route) }
                report(.routeChanged(change, at: clock.now))
            case .refresh(let told):
                runner.send { machine, _ in machine.beginRefresh() }
                let judged =
                    registry.entries.isEmpty
                    ? [] : runner.read { registry.judge($0.coordinator, publisher.state, player.preferences) }
                tell(told, judged)
                for observer in settled.value { observer.call() }
            case .prefer(let preferences):
                core.perform { output?.prefer(preferences) }
            case .ask(let query, let ticket):
                core.perform {
                    formats.ask(query) {
                        if let ticket { core.transition { completions.complete(ticket, with: nil) } }
                    }
                }
            case .answer(let ticket, let error):
                completions.complete(ticket, with: error)
            }
        }
        weak let weakRunner = runner
        publisher.observeChanges { change in
            guard let runner = weakRunner else { return }
            if let event = Self.event(change) { runner.send(.coordinator(event)) } else { runner.send(.deviceChanged) }
        }
    }

    /// The coordinator's event for a change of the device's state; nil if it does not concern the coordinator.
    private static func event(_ change: DeviceStateChange) -> SessionCoordinator.Event? {
        switch change {
        case .headphoneInserted(let isInserted): .route(.headphone(isInserted: isInserted))
        case .microphoneInserted(let isInserted): .route(.microphone(isInserted: isInserted))
        case .route(let route): .route(.chosen(route))
        case .routePresent(let route, let isPresent): .route(.external(route, isPresent: isPresent))
        case .wokeFromSleep: .route(.wokeFromSleep)
        case .inputAvailable(let isAvailable): .inputAvailable(isAvailable)
        case .otherAudioPlaying(let isPlaying): .outsideAudio(isPlaying: isPlaying)
        case .outputVolume, .screenLocked, .keptPosition, .quietHours, .quietHoursVolume, .outputFormat, .inputFormat,
            .outputLost, .key, .keyRepeated, .buttonPressed, .button, .lost, .found:
            nil
        }
    }

    /// Stops the sessions' sounds, and ends their streams of events.
    public func close() {
        core.transition {
            for session in all where session.isActive { runner.send(.coordinator(.deactivate(session.id))) }
            for session in all { registry.remove(session.id) }
        }
    }

    /// Ends the requests, present and future, that wait for the hardware, which is closed, to say what it grants.
    package func giveUp() {
        hasGivenUp.store(true, ordering: .relaxed)
        completions.completeAll(
            with: SessionError(.notInitialized, "ask the hardware", detail: "the device was closed"))
    }

    // MARK: - Making sessions

    /// Makes a session of a category, by default of ``AudioCategory/soloAmbient``. It is not active yet.
    ///
    /// - Parameters:
    ///   - name: The session's name, for people.
    ///   - category: The purpose of its audio, which also says whether the switch silences it.
    ///   - priority: How much it matters beside others.
    /// - Returns: The session. It is removed with its last reference; an active one is deactivated then, and others may
    ///   resume.
    public func make(
        name: String = "", category: AudioCategory? = nil, priority: SessionPriority = .ordinary
    ) -> AudioSession {
        make(name, category, [], priority)
    }

    /// Makes a session of a category with options. It is not active yet.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public func make(
        name: String = "", category: AudioCategory, options: CategoryOptions, priority: SessionPriority = .ordinary
    ) throws(SessionError) -> AudioSession {
        _ = try SessionSettings(category: category, options: options)
        return make(name, category, options, priority)
    }

    /// Gives a session a handle, and subscribers.
    func register(_ id: SessionID, _ name: String) {
        followRules()
        registry.add(id, name: name)
    }

    private func make(
        _ name: String, _ category: AudioCategory?, _ options: CategoryOptions, _ priority: SessionPriority
    ) -> AudioSession {
        let id = core.transition {
            let id = runner.send { machine in
                let id = machine.coordinator.unusedID
                return (machine.request(.make(id, name: name, priority: priority)).actions, id)
            }
            register(id, name)
            update(id)
            // A category that allows its options is never refused to a session that is not active.
            if let category { _ = send(.setCategory(id, category, options: options)) }
            return id
        }
        return AudioSession(id, name: name, priority: priority, of: self)
    }

    /// The sessions' states, by number.
    public var all: [SessionState] { runner.read { $0.coordinator.sessions } }

    /// The board's routes, and which of them are present.
    package var routes: RouteModel { runner.read { $0.coordinator.routes } }

    /// The route of sounds that belong to no session.
    public var deviceRoute: SessionRoute { runner.read { $0.coordinator.deviceRoute } }

    /// Whether a process that has no session here plays now. It is looked up: the kernel does not report it.
    public var isOutsideAudioPlaying: Bool {
        lookForOtherAudio()
        return runner.read { $0.coordinator.isOutsideAudioPlaying }
    }

    // MARK: - For the sessions' handles

    /// Looks up whether another process plays: the kernel does not report it.
    package func lookForOtherAudio() {
        guard let isPlaying = otherAudio?() else { return }
        runner.send { machine in
            // The same answer again leads to nothing.
            let isNew = machine.coordinator.isOutsideAudioPlaying != isPlaying
            return (isNew ? machine.request(.outsideAudio(isPlaying: isPlaying)).actions : [], ())
        }
    }

    /// Carries out a request, and returns why it was refused; nil if it was not.
    func send(_ event: SessionCoordinator.Event, asksHardware: Bool = true) -> SessionError? {
        core.transition {
            let refusal = runner.send { $0.request(event, asksHardware: asksHardware) }
            if refusal == nil, let id = event.request { update(id) }
            return refusal
        }
    }

    /// Informs the service of the session's settings.
    private func update(_ id: SessionID) {
        guard let deviceService, let session = runner.read({ $0.coordinator.session(id) }) else { return }
        core.perform { deviceService.update(session) }
    }

    /// Takes in what the service decided about a session of this process.
    package func take(_ verdict: SessionVerdict, of id: SessionID) {
        runner.send(.coordinator(.judged(id, verdict)))
    }

    /// Carries out a request, and calls `completion` inside a transition when the request's consequences were carried out.
    func send(_ event: SessionCoordinator.Event, asksHardware: Bool = true, completion: @escaping Answer) {
        core.transition {
            switch (event, deviceService) {
            case (.activate(let id, _), let deviceService?):
                turns.take(id, completion) { [self] answer in activate(id, at: deviceService, asksHardware, answer) }
            case (.deactivate(let id, let notifyOthers), .some):
                // Its sounds stop at once, whatever the service has not answered yet.
                runner.send(.coordinator(event))
                turns.take(id, completion) { [self] answer in
                    deactivateAtService(id, notifyOthers: notifyOthers) { [self] _ in carryOut(event, answer) }
                }
            default:
                carryOut(event, asksHardware: asksHardware, completion)
            }
        }
    }

    private func activate(_ id: SessionID, at service: any DeviceService, _ asks: Bool, _ answer: @escaping Answer) {
        // Nobody is interrupted for a session that the rules here refuse.
        if let refusal = runner.read({ $0.coordinator.refusal(of: .activate(id)) }) { return answer(refusal) }
        core.perform { [self] in
            service.activate(id) { [self] error in
                core.transition {
                    if let error { return answer(error) }
                    carryOut(.activate(id), asksHardware: asks) { [self] refusal in
                        let phase = runner.read { $0.coordinator.session(id)?.phase }
                        guard let refusal, phase == .inactive else { return answer(refusal) }
                        // The rules here have changed since the service was asked.
                        deactivateAtService(id, notifyOthers: true) { _ in answer(refusal) }
                    }
                }
            }
        }
    }

    func deactivateAtService(_ id: SessionID, notifyOthers: Bool, _ completion: @escaping Answer) {
        core.perform { [core, deviceService] in
            deviceService?.deactivate(id, notifyOthers: notifyOthers) { core.transition { completion(nil) } }
        }
    }

    /// Called inside a transition.
    private func carryOut(_ event: SessionCoordinator.Event, asksHardware: Bool = true, _ answer: @escaping Answer) {
        let ticket = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
        completions.add(ticket, answer)
        let event = if case .activate(let id, _) = event { activation(of: id) } else { event }
        runner.send(.coordinator(event, ticket: ticket, asksHardware: asksHardware))
        if hasGivenUp.load(ordering: .relaxed) { giveUp() }
    }

    /// The event that activates the session `id` now.
    func activation(of id: SessionID) -> SessionCoordinator.Event {
        .activate(id, at: UInt64(clamping: clock.now.nanoseconds))
    }

    /// The event by which the session `id` resumes that was activated at `time`, which is not later than now.
    func resumption(
        of id: SessionID, since time: UInt64, evenIfActivated: Bool = false
    ) -> SessionCoordinator.Event {
        .resume(id, since: min(time, UInt64(clamping: clock.now.nanoseconds)), evenIfActivated: evenIfActivated)
    }

    /// Activates the session `id` under a category, and calls `completion` with why that was refused; nil if the session is
    /// active and a recording does not silence it. A session that is interrupted is refused: it waits for the end of the
    /// interruption. The hardware is not asked what it grants. Called inside a transition, as `completion` is.
    func activate(
        _ id: SessionID, as category: AudioCategory, _ options: CategoryOptions, completion: @escaping Answer
    ) {
        let state = runner.read { $0.coordinator.session(id) }
        if state?.isInterrupted == true { return completion(SessionError(.notActive, "activate", session: id)) }
        if state?.settings.category != category || state?.settings.options != options,
            let error = send(.setCategory(id, category, options: options), asksHardware: false)
        {
            return completion(error)
        }
        let answer: Answer = { [self] error in completion(error ?? recordingRefusal(of: id, category)) }
        // Requested again, the activation of an active session would count as a change, and wake who waits for one.
        if state?.isActive == true { return confirmActive(id, answer) }
        send(.activate(id), asksHardware: false, completion: answer)
    }

    /// Calls `completion` with why the session `id`, which is active here, is not so at the service: what has interrupted it
    /// there may not be known here yet.
    private func confirmActive(_ id: SessionID, _ completion: @escaping Answer) {
        guard let deviceService else { return completion(nil) }
        turns.take(id, completion) { [core] answer in
            core.perform { deviceService.confirmActive(id) { error in core.transition { answer(error) } } }
        }
    }

    /// Why the session `id` cannot be heard though it may be active; nil if no recording silences it. One whose category
    /// plays nothing would wait for its own end.
    private func recordingRefusal(of id: SessionID, _ category: AudioCategory) -> SessionError? {
        guard category.plays, player.rules.state.sessions.contains(.silencesPlayback) else { return nil }
        return SessionError(.notActive, "play", session: id, detail: "a session that records silences all playback")
    }

    /// Whether an activation of the session `id` would be refused now.
    package func refusesActivation(of id: SessionID) -> Bool {
        runner.read { $0.coordinator.refusal(of: .activate(id)) } != nil
    }

    /// Adds an observer for the sessions' lifetime: an effect of each change of a session or of what decides about
    /// sessions, after its other consequences.
    package func observeSettling(_ observer: @escaping @Sendable () -> Void) {
        whenSettled { [core] in core.perform(observer) }
    }

    /// Adds an observer for the sessions' lifetime. It is called inside the transition, after each change of a session or of
    /// what decides about sessions.
    func whenSettled(_ observer: @escaping @Sendable () -> Void) {
        core.transition {
            followRules()
            settled.value.append(Observer(call: observer))
        }
    }

    /// Follows the rules for the sessions' lifetime. At an edge of the switch every step counts: it is called once there is
    /// somebody who learns of a change.
    private func followRules() {
        if followsRules.value { return }
        followsRules.value = true
        // A captured weak variable would be checked for overlapping accesses.
        weak let runner = runner
        player.observeRules { runner?.send(.deviceChanged) }
    }

    /// What the properties of session `id` report now; nil if there is no such session.
    package func facts(of id: SessionID) -> SessionFacts? {
        runner.read {
            $0.coordinator.facts(
                of: id, state: publisher.state, preferences: player.preferences, hardware: publisher.hardware)
        }
    }

    /// Whether the session is there, and the device was not closed.
    package func contains(_ id: SessionID) -> Bool { core.read { registry.entries[id] != nil } }

    /// A new subscription to the events of session `id`; one that has ended where there is no such session.
    func events(of id: SessionID) -> AsyncStream<SessionEvent> {
        guard let events = core.read({ registry.entries[id]?.events }) else { return AsyncStream { $0.finish() } }
        return events.subscribe(buffering: .bufferingNewest(SessionRegistry.eventBuffer))
    }

    /// The follower of these sessions, which `make` makes at the first call. There is one at most.
    package func follower(_ make: () -> any SessionFollower) -> any SessionFollower {
        core.transition {
            followRules()
            let follower = registry.follower ?? make()
            registry.follower = follower
            return follower
        }
    }

    func remove(_ id: SessionID) {
        core.transition {
            _ = send(.remove(id))
            core.perform { [deviceService] in deviceService?.remove(id) }
            registry.remove(id)
        }
    }
}
