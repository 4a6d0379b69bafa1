import Synchronization

/// Short sounds by number: registered from files, or predefined; played at once, as alerts, or felt. Any thread.
///
/// One system sound is heard at a time, and one vibration is felt at a time; a sound and a vibration run together. A
/// second sound starts at once and replaces the first, which ends as ``SoundOutcome/StopCause/replaced``. A play of an ID
/// waits instead, first come, first served:
///
/// - while the sound that replaced the last play of this ID is playing;
/// - while a sound that waited for this ID is playing;
/// - where it is started from a completion.
///
/// So loops, on completions or on `await`, alternate whole sounds, and a sound that interrupts a loop is heard whole. A
/// sound that the rules silence, or that fails, replaces nothing. A silenced sound completes before the call returns, unless
/// a loop of them would take the whole processor: then 20 times a second at most.
///
/// A registered sound keeps its file's path and length; it is decoded when it is first played, on a thread of its own.
/// Neither vibrations nor sounds in memory wait for that, and a sound that is played meanwhile replaces it. Decoded and
/// synthesised sounds are kept up to ``Configuration/cacheLimit``. One instance is one client's.
public final class SystemSoundServices: Sendable {
    /// How the services behave.
    public struct Configuration: Sendable {
        /// The predefined sounds.
        public var predefined: PredefinedSounds
        /// How many bytes of decoded samples are kept so that they start at once the next time; 1 MiB are 11 s of one
        /// channel at 48 kHz. A sound larger than this is decoded each time it is played.
        public var cacheLimit: Int

        /// A configuration, by default a phone's.
        public init(predefined: PredefinedSounds = PredefinedSounds(), cacheLimit: Int = 1 << 20) {
            self.predefined = predefined
            self.cacheLimit = cacheLimit
        }
    }

    /// A call that plays a system sound, for ``stop(_:because:)``.
    public struct Call: Sendable, Hashable {
        package let id: SoundPlayer.ID
    }

    /// How a sound is played.
    public enum Use: Sendable, Hashable {
        /// Heard where the switch allows. The corresponding C function is `AudioServicesPlaySystemSound`.
        case sound
        /// Heard, felt or both, as the switch and the user's preferences say. The corresponding C function is
        /// `AudioServicesPlayAlertSound`.
        case alert
        /// An alert that is heard at silent too, as far as ``UserPreferences/alarmsIgnoreSilence`` allows.
        case alarm
    }

    let table = SystemSoundTable()
    let engine: SystemSoundEngine
    /// The number of this client among the device's.
    let client: UInt64

    /// The services of a device's first client.
    ///
    /// - Parameters:
    ///   - vibrator: The motor; nil if there is none, and every vibration fails.
    ///   - report: Gets the events of sounds that never reach the player, in order.
    package convenience init(
        player: SoundPlayer, vibrator: Vibrator?, configuration: Configuration = .init(),
        report: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        self.init(
            SystemSoundEngine(player: player, vibrator: vibrator, configuration: configuration, report: report))
    }

    private init(_ engine: SystemSoundEngine) {
        self.engine = engine
        client = engine.clients.wrappingAdd(1, ordering: .relaxed).newValue
    }

    deinit {
        close()
    }

    /// The services of another client of the same device: with IDs, properties and completions of its own, and the one
    /// sound and the one motor shared with all.
    public func makeClient() -> SystemSoundServices {
        SystemSoundServices(engine)
    }

    // MARK: - Registering

    /// Registers a sound file: CAF, AIFF, AIFF-C, WAV, MP3, Ogg or FLAC of at most 30 s, exactly 30 s included.
    ///
    /// Nothing is decoded yet, unless the file's header does not count the frames (some FLAC), and the file is not kept open. The corresponding C function is
    /// `AudioServicesCreateSystemSoundID`.
    ///
    /// - Returns: The ID to play it by.
    /// - Throws: ``SystemSoundError``: ``SystemSoundError/Code/exceededMaximumDuration`` for a longer sound,
    ///   ``SystemSoundError/Code/unspecified`` where the file cannot be read or is no sound.
    public func register(_ path: String) throws(SystemSoundError) -> SystemSoundID {
        let id = try register(unrehearsed: path)
        if !UserCode.isRunning, !engine.isRehearsed.exchange(true, ordering: .relaxed) { rehearse(id) }
        return id
    }

    /// The same, for a caller that rehearses by itself.
    package func register(unrehearsed path: String) throws(SystemSoundError) -> SystemSoundID {
        let info: SoundFileInfo
        do {
            info = try SoundLoader.info(path, maximumDuration: SoundLimits.systemSoundDuration)
        } catch {
            throw SystemSoundError(error)
        }
        return try register(.file(path, frames: Int(info.frames)), path)
    }

    /// Registers a predefined sound.
    package func register(_ sound: PredefinedSound) throws(SystemSoundError) -> SystemSoundID {
        try register(.predefined(sound), sound.name)
    }

    /// Goes the way of a registered sound that the switch silences, unheard, unfelt and unreported. Programs time their first
    /// sound to learn the switch's position: they would measure how long code takes that has never run. Not in a completion,
    /// where it would take its time.
    package func rehearse(
        _ id: SystemSoundID, _ completion: @escaping @Sendable (SystemSoundResult) -> Void = { _ in }
    ) {
        var order = order(id, as: .sound)
        // A category that plays nothing.
        (order.request, order.kind) = (.session(.audioProcessing), .rehearsal)
        // No other call has the number.
        begin(Call(id: SoundPlayer.ID(number: 0)), order, completion)
    }

    /// Registers samples that are in memory, of at most 30 s.
    ///
    /// - Parameter samples: The sound; it stays in memory until it is disposed of.
    /// - Returns: The ID to play it by.
    /// - Throws: ``SystemSoundError`` of code ``SystemSoundError/Code/exceededMaximumDuration`` for a longer sound.
    public func register(_ samples: PCMBuffer) throws(SystemSoundError) -> SystemSoundID {
        guard samples.duration <= SoundLimits.systemSoundDuration else {
            throw SystemSoundError(
                RingerError(
                    .soundTooLong, "register", "samples in memory",
                    detail: "\(samples.duration.inSeconds) s are longer than 30 s"))
        }
        let subject = "samples in memory"
        let isEmpty = samples.frames == 0
        return try register(
            .known(isEmpty ? .failure(.withoutSound(subject)) : .success(samples)), subject)
    }

    /// Registers a sound that cannot be played: alerts of it vibrate, and their results say why they were not heard.
    package func register(failed error: RingerError) throws(SystemSoundError) -> SystemSoundID {
        try register(.known(.failure(error)), error.subject)
    }

    private func register(_ source: SoundSource, _ subject: String) throws(SystemSoundError) -> SystemSoundID {
        guard let id = table.add(source) else { throw SystemSoundError(RingerError(.closed, "register", subject)) }
        return id
    }

    /// Forgets a registered sound. Where it plays, it stops at once, and ends as
    /// ``SoundOutcome/StopCause/disposed``; the completion of its ID is forgotten with it and not called.
    ///
    /// The corresponding C function is `AudioServicesDisposeSystemSoundID`.
    ///
    /// - Throws: ``SystemSoundError`` of code ``SystemSoundError/Code/unspecified`` where no sound is registered by the
    ///   ID, as for a predefined one.
    public func dispose(_ id: SystemSoundID) throws(SystemSoundError) {
        guard table.remove(id) else { throw .unknown(id, "dispose of the sound") }
        engine.cache.remove { $0 == .registered(client: client, id) }
        engine.stop(because: .disposed) { [client] in $0.client == client && $0.id == id }
    }

    /// How many sounds are registered.
    public var registered: Int { table.count.sounds }
    /// How many calls are not over, those of other clients included.
    public var underWay: Int { engine.runner.read { $0.count } }
    /// How many bytes of decoded samples are kept, for all clients.
    public var cachedBytes: Int { engine.cache.bytes }

    // MARK: - Completions by ID

    /// Sets the completion of an ID. It runs each time a sound of the ID has ended, with its outcome: heard to its end,
    /// silenced, stopped or failed. It replaces the completion set before. Every ID, the vibration's included, has its
    /// own.
    ///
    /// It runs just before the call's own completion, on the same thread, and may play again: a ring loop is built so. A
    /// sound that it plays waits for the sound that is playing, and where its rounds fail or are silenced, the loop goes
    /// on at 20 rounds a second after its first second. The corresponding C function is
    /// `AudioServicesAddSystemSoundCompletion`.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound.
    public func addCompletion(
        for id: SystemSoundID, _ completion: @escaping @Sendable (SystemSoundID, SoundOutcome) -> Void
    ) throws(SystemSoundError) {
        guard table.setCompletion(completion, of: id) else { throw .unknown(id, "add a completion") }
    }

    /// Removes the completion that ``addCompletion(for:_:)`` set, if any. The corresponding C function is
    /// `AudioServicesRemoveSystemSoundCompletion`.
    public func removeCompletion(for id: SystemSoundID) {
        _ = table.setCompletion(nil, of: id)
    }

    // MARK: - Playing

    /// Begins a system sound and returns at once.
    ///
    /// A sound that may be heard and was not decoded yet is decoded first, on a thread of its own; ``prepare(_:)`` does so
    /// before. What plays is replaced once that is done.
    ///
    /// - Parameters:
    ///   - id: A registered or a predefined sound. A predefined vibration is felt whatever the use: no setting suppresses
    ///     it.
    ///   - use: As a sound, as an alert, or as an alarm.
    ///   - completion: Called once for this call, with any outcome, that of an unknown ID or a vanished file included. Where
    ///     the rules silence the sound, it is called on the caller's thread before the call returns, or, where the call is
    ///     made from a completion, 1 ms later; else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: The call, to stop it by.
    @discardableResult
    public func start(
        _ id: SystemSoundID, as use: Use = .sound,
        completion: (@Sendable (SystemSoundResult) -> Void)? = nil
    ) -> Call {
        start(order(id, as: use), completion)
    }

    /// Begins `order` with a completion of the user's.
    func start(_ order: SystemSoundOrder, _ completion: (@Sendable (SystemSoundResult) -> Void)?) -> Call {
        let call = Call(id: engine.player.reserve())
        begin(call, order, completion)
        return call
    }

    /// Begins a plain vibration, as ``start(_:as:completion:)`` of ``SystemSoundID/vibrate`` does.
    ///
    /// - Parameter completion: Called once, with how the vibration ended.
    /// - Returns: The call, to stop it by.
    @discardableResult
    public func startVibration(completion: (@Sendable (SoundOutcome) -> Void)? = nil) -> Call {
        guard let completion else { return start(.vibrate) }
        return start(.vibrate) { completion($0.endOfVibration) }
    }

    /// Plays a system sound and returns its outcome. Cancelling the task stops it.
    public func play(_ id: SystemSoundID) async -> SystemSoundResult {
        await wait(for: order(id, as: .sound))
    }

    /// Plays a system sound as an alert and returns its outcome. Cancelling the task stops it.
    public func playAlert(_ id: SystemSoundID) async -> SystemSoundResult {
        await wait(for: order(id, as: .alert))
    }

    /// Plays a system sound as an alarm and returns its outcome. Cancelling the task stops it.
    public func playAlarm(_ id: SystemSoundID) async -> SystemSoundResult {
        await wait(for: order(id, as: .alarm))
    }

    /// Turns the motor as a plain vibration, and returns how that ended. Cancelling the task stops it.
    public func vibrate() async -> SoundOutcome {
        await play(.vibrate).endOfVibration
    }

    /// Stops the sound and the vibration of a call at once. Nothing happens where the call is over.
    public func stop(_ call: Call, because cause: SoundOutcome.StopCause = .caller) {
        engine.runner.send(.stop(call.id.number, cause, now: engine.clock.now))
    }

    /// Stops every call, those of other clients included.
    public func stopAll(because cause: SoundOutcome.StopCause = .caller) {
        engine.stop(because: cause) { _ in true }
    }

    /// Closes the client: its sounds are unregistered and stop as ``SoundOutcome/StopCause/closed``, and the completions
    /// of its IDs are removed. A second call does nothing.
    ///
    /// A sound whose ``SystemSoundProperty/completePlaybackIfAppDies`` is set plays on to its end, unless the device is
    /// closed before.
    public func close() {
        guard let playingOn = table.removeAll() else { return }
        engine.cache.remove { if case .registered(client: client, _) = $0 { true } else { false } }
        engine.stop(because: .closed) { [client] in $0.client == client && !playingOn.contains($0.id) }
    }

    func wait(for order: SystemSoundOrder) async -> SystemSoundResult {
        let call = Call(id: engine.player.reserve())
        return await outcome(engine.core) { done in
            begin(call, order, whenOver: { done($0.result) })
        } onCancel: {
            stop(call)
        }
    }

    /// Begins a call. When it is over, `whenOver` runs inside the transition, and the completion of the sound's ID and
    /// `completion` are the user's.
    func begin(
        _ call: Call, _ order: SystemSoundOrder, _ completion: (@Sendable (SystemSoundResult) -> Void)? = nil,
        whenOver: @escaping @Sendable (SystemSoundAttempt) -> Void = { _ in }
    ) {
        let ofID: @Sendable (SystemSoundResult) -> SystemSoundTable.Completion? = { [table] result in
            order.kind == .play ? table.completion(of: result.sound) : nil
        }
        let user = UserCompletion<SystemSoundResult>(engine.clock, engine.core) { result in
            ofID(result)?(result.sound, result.outcome)
            completion?(result)
        }
        engine.core.transition {
            let attempt = attempt(call, order)
            engine.completions.add(attempt.number) { over in
                if completion != nil || ofID(over.result) != nil { user.complete(over.result) }
                whenOver(over)
            }
            engine.runner.send(.play(attempt, now: engine.clock.now))
            if attempt.isLoading { loadAside(order, for: call) }
        }
        // It was disposed of meanwhile; an alert keeps its sound.
        if case .registered(let id) = order.source, order.kind != .alertRound, !table.contains(id) {
            engine.runner.send(.stop(call.id.number, .disposed, now: engine.clock.now))
        }
        user.callReturns()
    }
}
