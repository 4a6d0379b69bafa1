/// One audio session: its category, options and priority hold for every sound that is played in it.
///
/// Made by ``AudioSessions``. Every method may be called from any thread. The session is removed with its last
/// reference.
public final class AudioSession: Sendable {
    /// The session's number.
    public let id: SessionID
    /// The session's name, for people.
    public let name: String
    /// How much it matters beside others.
    public let priority: SessionPriority
    /// The sessions of the device.
    package let service: AudioSessions

    init(_ id: SessionID, name: String, priority: SessionPriority, of service: AudioSessions) {
        self.id = id
        self.name = name
        self.priority = priority
        self.service = service
    }

    deinit {
        service.remove(id)
    }

    // MARK: - Activity

    /// Activates the session. When the call returns, the sessions that it interrupts are silent, those that it ducks fade
    /// down, and the hardware that it plays to and records from was asked what it grants. An active session stays active.
    ///
    /// - Throws: ``SessionError/Code/notActive`` beside a session of a higher priority, or during an interruption from
    ///   outside; ``SessionError/Code/noHardware`` where the category needs an input and there is none;
    ///   ``SessionError/Code/noCategorySet`` where it uses a hardware codec and no category was set;
    ///   ``SessionError/Code/notInitialized`` where the device was closed.
    public func activate() async throws(SessionError) {
        try await result(of: .activate(id))
    }

    /// As ``activate()``, for a session that another service activated at `time`, in nanoseconds of CLOCK_MONOTONIC: sessions
    /// that were activated later may interrupt it.
    package func resume(since time: UInt64) async throws(SessionError) {
        try await result(of: service.resumption(of: id, since: time))
    }

    /// Activates the session.
    ///
    /// - Parameter completion: Called once with why the activation was refused; nil if the session is active. It is
    ///   called on the caller's thread before the call returns where that is known by then, else on the callback thread
    ///   (``DeviceClock/callBack(_:)``).
    public func activate(completion: @escaping @Sendable (SessionError?) -> Void) {
        withUserCompletion(completion, on: service.clock, service.core) { send(.activate(id), completion: $0) }
    }

    /// Deactivates the session. Its sounds stop.
    ///
    /// - Parameter notifyOthers: Whether the sessions that it interrupted may resume.
    /// - Throws: ``SessionError/Code/notInitialized`` where the device was closed, which has stopped its sounds already.
    public func deactivate(notifyOthers: Bool = true) async throws(SessionError) {
        try await result(of: .deactivate(id, notifyOthers: notifyOthers))
    }

    /// Deactivates the session.
    ///
    /// - Parameters:
    ///   - notifyOthers: Whether the sessions that it interrupted may resume.
    ///   - completion: Called once its sounds were stopped, with why the request was refused or nil: on the caller's thread
    ///     before the call returns where that is known by then, else on the callback thread.
    public func deactivate(
        notifyOthers: Bool = true, completion: @escaping @Sendable (SessionError?) -> Void
    ) {
        withUserCompletion(completion, on: service.clock, service.core) {
            send(.deactivate(id, notifyOthers: notifyOthers), completion: $0)
        }
    }

    private func result(of event: SessionCoordinator.Event) async throws(SessionError) {
        let error: SessionError? = await outcome(service.core) { send(event, completion: $0) }
        if let error { throw error }
    }

    /// Carries out a request, and calls `completion` inside a transition, with why it was refused; nil if it was not.
    package func send(_ event: SessionCoordinator.Event, completion: @escaping @Sendable (SessionError?) -> Void) {
        if !service.contains(id) { return completion(closed(event.operation)) }
        service.send(event, completion: completion)
    }

    /// The error of an operation on a session whose device was closed.
    package func closed(_ operation: String) -> SessionError {
        SessionError(.notInitialized, operation, session: id, detail: "the device was closed")
    }

    /// Category, options, phase and route of the session; nil once it was removed.
    public var state: SessionState? { service.runner.read { [id] in $0.coordinator.session(id) } }

    /// Whether it is active and not interrupted.
    public var isActive: Bool { state?.isActive ?? false }

    /// Whether it was interrupted and the interruption has not ended.
    public var isInterrupted: Bool { state?.isInterrupted ?? false }

    /// Whether it is active and its sound is heard, considering the switch, the lock, interruptions, routes and other
    /// sessions.
    public var isAudible: Bool {
        service.runner.read {
            $0.coordinator.isAudible(id, state: service.publisher.state, preferences: service.player.preferences)
        }
    }

    /// The session's events from now on. A subscriber that is more than 1,024 events behind loses the oldest.
    public var events: AsyncStream<SessionEvent> { service.events(of: id) }

    // MARK: - Category

    /// The category. A session that set none has ``AudioCategory/soloAmbient``.
    public var category: AudioCategory { state?.settings.category ?? .default }

    /// The category's options, as they were set.
    public var options: CategoryOptions { state?.settings.options ?? [] }

    /// Sets the category, and the options to exactly `options`. For an active session that is like being activated with
    /// them. Without an input that the category needs it stays active: see ``RouteChangeReason/noSuitableRouteForCategory``.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where the category does not allow an option, or an active
    ///   session has a higher priority.
    public func setCategory(_ category: AudioCategory, options: CategoryOptions = []) throws(SessionError) {
        try request(.setCategory(id, category, options: options))
    }

    /// Sets the options to exactly `options`; the category stays.
    ///
    /// - Throws: What ``setCategory(_:options:)`` throws.
    public func setOptions(_ options: CategoryOptions) throws(SessionError) {
        try request(.setOptions(id, options))
    }

    /// Sets whether the session speaks: a podcast, a book.
    ///
    /// - Throws: What ``setCategory(_:options:)`` throws.
    public func setSpoken(_ isSpoken: Bool) throws(SessionError) {
        try request(.setSpoken(id, isSpoken))
    }

    /// Sets whether the session uses a hardware codec: a DSP or a module that decodes sound itself. Such a session is
    /// activated only after its category was set, be it the default one, with ``setCategory(_:options:)`` or when the session
    /// was made.
    ///
    /// - Throws: ``SessionError/Code/noCategorySet`` where the session is active and no category was set.
    public func setUsesHardwareCodec(_ usesHardwareCodec: Bool) throws(SessionError) {
        try request(.setUsesHardwareCodec(id, usesHardwareCodec))
    }

    /// Whether the session's application is in the background: false until ``setInBackground(_:)``.
    public var isInBackground: Bool { state?.isInBackground ?? false }

    /// Reports that the session's application went to the background, or came back: `ambient` and `soloAmbient` are silent
    /// there, other categories play on.
    ///
    /// - Throws: ``SessionError/Code/notInitialized`` where the device was closed.
    public func setInBackground(_ isInBackground: Bool) throws(SessionError) {
        try request(.setInBackground(id, isInBackground))
    }

    /// Switches an override on or off.
    ///
    /// - Throws: ``SessionError/Code/incompatibleCategory`` where it is to be on in a category that does not have it.
    public func setOverride(_ override: SessionOverrides, _ isOn: Bool) throws(SessionError) {
        try request(.setOverride(id, override, isOn))
    }

    /// Carries out a request.
    package func request(_ event: SessionCoordinator.Event) throws(SessionError) {
        guard service.contains(id) else { throw closed(event.operation) }
        if let error = service.send(event) { throw error }
    }

    func setPreferences(_ change: (inout SessionPreferences) -> Void) throws(SessionError) {
        let refusal: SessionError? = service.runner.send { machine in
            var preferences = machine.coordinator.session(id)?.preferences ?? SessionPreferences()
            change(&preferences)
            return machine.request(.setPreferences(id, preferences))
        }
        if let refusal { throw refusal }
    }

    // MARK: - Playing

    /// Plays `sound` in the session, and returns its outcome. Cancelling the task stops it.
    ///
    /// The session must be active: otherwise the sound fails with ``RingerError/Code/sessionNotActive``, and while the
    /// session is interrupted it is silenced by that. What a headphone that was pulled out stopped goes on with
    /// `frame` at the result's position.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - frame: Its first frame to be played; at the end or beyond it nothing is left, and the sound fails.
    /// - Returns: The outcome and its times. Positions count from `frame`.
    public func play(_ sound: PCMBuffer, from frame: Int64 = 0) async -> SoundResult {
        let number = service.player.reserve()
        return await outcome(service.core) {
            service.play(sound, manner: Self.manner(sound, frame), reserved: number, in: id, completion: $0)
        } onCancel: {
            service.player.stop(number)
        }
    }

    /// Begins to play `sound` in the session, and returns at once.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - frame: Its first frame to be played.
    ///   - completion: Called once, with the outcome: on the caller's thread before the call returns where that is known by
    ///     then, else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: The sound, to stop it by.
    @discardableResult
    public func start(
        _ sound: PCMBuffer, from frame: Int64 = 0, completion: (@Sendable (SoundResult) -> Void)? = nil
    ) -> SoundPlayer.ID {
        let number = service.player.reserve()
        start(sound, in: Self.manner(sound, frame), reserved: number, completion: completion)
        return number
    }

    /// The same with a number that was reserved, in any manner.
    package func start(
        _ sound: PCMBuffer, in manner: SoundManner, reserved number: SoundPlayer.ID,
        completion: (@Sendable (SoundResult) -> Void)?
    ) {
        withUserCompletion(completion, on: service.clock, service.core) {
            service.play(sound, manner: manner, reserved: number, in: id, completion: $0)
        }
    }

    private static func manner(_ sound: PCMBuffer, _ first: Int64) -> SoundManner {
        SoundManner(first: Int(min(max(first, 0), Int64(sound.frames))))
    }

    /// Stops a sound that the session plays.
    public func stop(_ sound: SoundPlayer.ID) {
        service.player.stop(sound)
    }
}
