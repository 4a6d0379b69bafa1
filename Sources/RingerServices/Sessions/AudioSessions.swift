import Synchronization

/// The audio sessions of the device: makes them, arbitrates between them, and has their sounds obey.
///
/// What one request leads to is carried out in order: others are interrupted or go down before the one who asked is
/// told. Nothing is told under a lock, and whoever listens slowly delays nobody.
public final class AudioSessions: Sendable {
    /// A sound that waits for its session's leave.
    struct Pending: Sendable {
        var sound: PCMBuffer
        var completion: @Sendable (SoundResult) -> Void
    }

    let player: SoundPlayer
    let store: DeviceStateStore
    let table: SessionTable
    let runner: StateMachineRunner<SessionsMachine>
    let clock: any DeviceClock
    private let completions = CompletionTable<UInt64, SessionError?>()
    private let pending = PendingSounds()
    private let settled = ObserverList<Void>()
    private let nextNumber = Atomic<UInt64>(0)
    private let otherAudio: (@Sendable () -> Bool)?

    /// The sessions of a device.
    ///
    /// - Parameters:
    ///   - player: Plays their sounds.
    ///   - store: The device's state: they follow it, and tell it what they do.
    ///   - clock: The device's time.
    ///   - board: The routes that the device has.
    ///   - output: What their preferences go to, and what is asked what it grants; nil for nothing.
    ///   - input: What is asked what recording would get; nil for nothing.
    ///   - otherAudio: Says whether another process plays, when it is asked; nil where only
    ///     ``DeviceStateChange/otherAudioPlaying(_:)`` tells.
    ///   - report: Is told what happens to sessions, in order.
    public init(
        player: SoundPlayer, store: DeviceStateStore, clock: any DeviceClock, board: RouteBoard = .standard,
        output: (any SoundOutput)? = nil, input: (any SoundInput)? = nil, otherAudio: (@Sendable () -> Bool)? = nil,
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        self.player = player
        self.store = store
        self.clock = clock
        self.otherAudio = otherAudio
        let table = SessionTable { report(.degraded($0, at: clock.now)) }
        self.table = table
        let hardware = SessionsHardware(output: output, input: input, store: store, clock: clock, report: report)
        let (completions, pending, settled) = (completions, pending, settled)
        runner = StateMachineRunner(SessionsMachine(board: board)) { action, runner in
            func tell(_ told: [(SessionID, SessionEvent)]) {
                if told.isEmpty { return }
                let now = clock.now
                let recipients = table.recipients(told.map(\.0))
                // One stream after another, and each session's events together: a subscriber that is awake already is
                // cheap to tell more.
                for (told, recipient) in zip(told, recipients) {
                    report(.session(told.1, session: told.0, name: recipient?.name ?? "", at: now))
                }
                let order = told.indices.sorted { (told[$0].0.rawValue, $0) < (told[$1].0.rawValue, $1) }
                for index in order { recipients[index]?.events.send(told[index].1) }
            }
            func snapshot() -> SessionTable.Snapshot {
                SessionTable.Snapshot(
                    coordinator: runner.read { $0.coordinator }, state: store.state, preferences: player.preferences,
                    hardware: store.hardware)
            }
            switch action {
            case .begin(let id, let number, let terms):
                guard let sound = pending.take(number) else { return }
                player.start(sound.sound, reserved: SoundPlayer.ID(number: number), under: terms) {
                    [weak runner] result in
                    runner?.send(.ended(id, number))
                    sound.completion(result)
                }
            case .refuse(let number, let error):
                let now = clock.now
                guard let sound = pending.take(number) else { return }
                sound.completion(
                    SoundResult(
                        outcome: .failed(RingerError(error)), requestedAt: now, endedAt: now,
                        position: StreamPosition(played: 0, total: sound.sound.frames)))
            case .setTerms(let numbers, let terms):
                for number in numbers { player.setTerms(terms, of: SoundPlayer.ID(number: number)) }
            case .stop(let numbers, let cause):
                for number in numbers { player.stop(SoundPlayer.ID(number: number), because: cause) }
            case .update(let routeChanges):
                table.update(routeChanges: routeChanges, snapshot)
            case .tell(let told):
                tell(told)
            case .setActivity(let activity):
                store.ownSessions(are: activity)
            case .setDeviceRoute(let change):
                if let route = change.new.output { store.setDeviceRoute(route) }
                report(.routeChanged(change, at: clock.now))
            case .refresh(let told):
                runner.send { machine in ([], machine.beginRefresh()) }
                tell(told + table.refresh(snapshot))
                settled.tell(())
            case .prefer(let preferences):
                hardware.prefer(preferences)
            case .ask(let question, let ticket):
                hardware.ask(question) {
                    if let ticket { runner.send(.asked(ticket: ticket)) }
                }
            case .answer(let ticket, let error):
                completions.complete(ticket, with: error)
            }
        }
        let weakRunner = Weak(runner)
        store.observeChanges { change in
            guard let runner = weakRunner.value else { return }
            if let event = Self.event(change) { runner.send(.coordinator(event)) } else { runner.send(.deviceChanged) }
        }
        // They live as long as the player.
        _ = player.observeRules { _ in weakRunner.value?.send(.deviceChanged) }
    }

    /// What a change of the device's state is for the coordinator; nil where it is nothing to it.
    private static func event(_ change: DeviceStateChange) -> SessionCoordinator.Event? {
        switch change {
        case .headphoneInserted(let isInserted): .route(.headphone(isInserted: isInserted))
        case .microphoneInserted(let isInserted): .route(.microphone(isInserted: isInserted))
        case .route(let route): .route(.chosen(route))
        case .routePresent(let route, let isPresent): .route(.external(route, isPresent: isPresent))
        case .wokeFromSleep: .route(.wokeFromSleep)
        case .inputAvailable(let isAvailable): .inputAvailable(isAvailable)
        case .otherAudioPlaying(let isPlaying): .outsideAudio(isPlaying: isPlaying)
        case .outputVolume, .screenLocked, .outputFormat, .inputFormat, .outputLost, .lost, .found: nil
        }
    }

    /// Stops what sessions play, and ends every stream of theirs.
    public func close() {
        for session in all where session.isActive { runner.send(.coordinator(.deactivate(session.id))) }
        table.finish()
    }

    // MARK: - Making sessions

    /// Makes a session of a category. It is not active yet.
    ///
    /// - Parameters:
    ///   - name: The session's name, for people.
    ///   - category: What its audio is for, and with it whether the switch silences it.
    ///   - priority: How much it matters beside others.
    /// - Returns: The session. It is removed with its last reference; an active one is deactivated then, and tells
    ///   others that they may resume.
    public func make(
        name: String = "", category: AudioCategory = .default, priority: SessionPriority = .ordinary
    ) -> AudioSession {
        let id = add(name, priority)
        // A category without options is allowed to everyone, and the session is not active: nothing can refuse it.
        if category != .default { _ = send(.setCategory(id, category)) }
        return AudioSession(id, name: name, priority: priority, of: self)
    }

    /// Makes a session of a category with options. It is not active yet.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow one of the options.
    public func make(
        name: String = "", category: AudioCategory, options: CategoryOptions, priority: SessionPriority = .ordinary
    ) throws(SessionError) -> AudioSession {
        _ = try SessionSettings(category: category, options: options)
        let id = add(name, priority)
        _ = send(.setCategory(id, category, options: options))
        return AudioSession(id, name: name, priority: priority, of: self)
    }

    private func add(_ name: String, _ priority: SessionPriority) -> SessionID {
        let id = runner.send { machine in
            let id = machine.coordinator.unusedID
            return (machine.request(.make(id, name: name, priority: priority)).actions, id)
        }
        var properties = SessionPropertyStore(session: id)
        // A new store was not initialised before.
        try? properties.initialize()
        table.add(id, name: name, properties: properties)
        runner.send(.deviceChanged)
        return id
    }

    /// The sessions as the coordinator knows them, by number.
    public var all: [SessionState] { runner.read { $0.coordinator.sessions } }

    /// The routes that are there now.
    public var routes: RouteModel { runner.read { $0.coordinator.routes } }

    /// Where the sound of the device goes that belongs to no session.
    public var deviceRoute: SessionRoute { runner.read { $0.coordinator.deviceRoute } }

    /// Whether a process that knows of no sessions plays now. It is looked up: nobody tells when one begins.
    public var isOutsideAudioPlaying: Bool {
        lookForOtherAudio()
        return runner.read { $0.coordinator.isOutsideAudioPlaying }
    }

    // MARK: - Interruptions from outside

    /// Tells that something that is no session interrupts every one: a call that rings, an alarm clock.
    ///
    /// - Returns: The interruption, to be answered or ended. Until then no session can be activated.
    public func interruptionBegan() -> OutsideInterruption {
        let interruption = OutsideInterruption(rawValue: nextNumber.wrappingAdd(1, ordering: .relaxed).newValue)
        runner.send(.coordinator(.outsideBegan(interruption)))
        return interruption
    }

    /// The interruptions that are under way, the oldest first.
    public var interruptions: [OutsideInterruption] { runner.read { $0.coordinator.outside } }

    /// Tells that the user accepted the interruption: those that it interrupted are inactive, and are told no end.
    public func interruptionAnswered(_ interruption: OutsideInterruption) {
        runner.send(.coordinator(.outsideAnswered(interruption)))
    }

    /// Tells that the interruption is over.
    ///
    /// - Parameters:
    ///   - interruption: What ``interruptionBegan()`` returned; one that is over already is ignored.
    ///   - shouldResume: Whether those that it interrupted may play on.
    public func interruptionEnded(_ interruption: OutsideInterruption, shouldResume: Bool = true) {
        runner.send(.coordinator(.outsideEnded(interruption, shouldResume: shouldResume)))
    }

    // MARK: - For the sessions' handles

    /// Looks whether another process plays: nobody tells when one begins.
    func lookForOtherAudio() {
        guard let isPlaying = otherAudio?() else { return }
        runner.send { machine in
            // Asking again and again wakes nobody.
            let isNew = machine.coordinator.isOutsideAudioPlaying != isPlaying
            return (isNew ? machine.request(.outsideAudio(isPlaying: isPlaying)).actions : [], ())
        }
    }

    /// Carries out a request, and says at once why it is refused; nil where it is not. What follows from it has been
    /// done when the call returns, unless another thread is at it.
    func send(_ event: SessionCoordinator.Event) -> SessionError? {
        runner.send { $0.request(event) }
    }

    /// Carries out a request, and calls `completion` inside the state machine, where it must not block, when everything that
    /// follows from the request was done.
    func send(_ event: SessionCoordinator.Event, completion: @escaping @Sendable (SessionError?) -> Void) {
        let ticket = nextNumber.wrappingAdd(1, ordering: .relaxed).newValue
        completions.add(ticket, completion)
        runner.send(.coordinator(event, ticket: ticket))
    }

    /// Activates the session `id` under a category, and calls `completion` inside a state machine, where it must not block,
    /// with why that was refused; nil where the session is active. A session that is interrupted is refused: it waits for the
    /// end of the interruption.
    func activate(
        _ id: SessionID, as category: AudioCategory, _ options: CategoryOptions,
        completion: @escaping @Sendable (SessionError?) -> Void
    ) {
        let state = runner.read { $0.coordinator.session(id) }
        if state?.isInterrupted == true { return completion(SessionError(.notActive, "activate", session: id)) }
        if state?.settings.category != category || state?.settings.options != options,
            let error = send(.setCategory(id, category, options: options))
        {
            return completion(error)
        }
        send(.activate(id), completion: completion)
    }

    /// Adds an observer for the sessions' lifetime. It is called inside the state machine, where it must not block, after
    /// each change of a session or of what decides about sessions, once its consequences were carried out.
    func observeSettling(_ observer: @escaping @Sendable () -> Void) {
        settled.add(observer)
    }

    /// Tells the coordinator what the session `id` would like the hardware to do.
    func tellPreferences(of id: SessionID) {
        func held() -> SessionPreferences? {
            let preferences = try? table.with(id) { $0.properties.preferences }
            return preferences
        }
        var told: SessionPreferences?
        // Another thread may set another one between looking and telling: the newest is told last.
        while let preferences = held(), preferences != told {
            _ = send(.setPreferences(id, preferences))
            told = preferences
        }
    }

    /// Has the session `id` play a sound whose number was reserved. `completion` runs inside a state machine and must not
    /// block.
    func play(
        _ sound: PCMBuffer, reserved number: SoundPlayer.ID, in id: SessionID,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        pending.add(number.number, Pending(sound: sound, completion: completion))
        runner.send(.play(id, number.number))
    }

    func remove(_ id: SessionID) {
        _ = send(.remove(id))
        table.remove(id)
    }
}

/// Sounds that were handed over and not begun yet.
private final class PendingSounds: Sendable {
    private let sounds = Mutex<[UInt64: AudioSessions.Pending]>([:])

    func add(_ number: UInt64, _ sound: AudioSessions.Pending) {
        sounds.withLock { $0[number] = sound }
    }

    func take(_ number: UInt64) -> AudioSessions.Pending? {
        sounds.withLock { $0.removeValue(forKey: number) }
    }
}

/// A reference that does not keep what it refers to.
private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak let value: Object?

    init(_ value: Object) {
        self.value = value
    }
}

extension RingerError {
    /// A sound that could not be played because its session refused.
    init(_ error: SessionError) {
        self.init(.sessionNotActive, "play", "session \(error.session?.rawValue ?? 0)", detail: "\(error)")
    }
}

extension RingerError.Code {
    /// The session is not active, so that nothing can be played in it.
    public static let sessionNotActive = RingerError.Code("sessionNotActive")
}
