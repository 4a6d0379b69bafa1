extension Device {
    /// Plays a sound file in a category, and returns its outcome. Cancelling the task stops it.
    ///
    /// It plays in the device's own session of that category and options, which is active meanwhile: others are
    /// interrupted, ducked or played beside as ``AudioSession/activate()`` says, and resume afterwards. The device's own
    /// sessions mix with each other. Refused for the sake of a session of a higher priority, the sound ends as silenced by
    /// ``Decision/Reason/sessionPriority``; interrupted, by ``Decision/Reason/interruption``. In
    /// ``AudioCategory/audioProcessing`` it fails with ``RingerError/Code/incompatibleCategory``.
    ///
    /// The file is read and decoded on a thread of its own: a slow one holds up no other task of the caller's thread. Two
    /// files are decoded at a time, those of system sounds included, and one for which several calls wait is decoded once. A
    /// file system that does not answer for 5 s fails the call as ``RingerError/Code/timedOut``.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - category: The purpose of the sound, which says whether the switch silences it.
    ///   - options: The category's options.
    /// - Returns: The outcome, and when.
    /// - Throws: ``RingerError`` if the file cannot be read or is no sound, or the category does not allow an option.
    public func play(
        _ path: String, category: AudioCategory = .default, options: CategoryOptions = []
    ) async throws(RingerError) -> SoundResult {
        try check(category, options)
        let (requestedAt, number) = (clock.now, player.reserve())
        let result: Result<SoundResult, RingerError> = await outcome(core) { completion in
            lazyFiles.part.load(path, as: number) { [sessions, clock] in
                switch $0 {
                case .loaded(let sound):
                    sessions.playOwn(sound, reserved: number, as: category, options) { completion(.success($0)) }
                case .failed(let error): completion(.failure(error))
                case .stopped(let cause):
                    let now = clock.now
                    completion(.success(SoundResult(unplayed: .stopped(cause), requestedAt: requestedAt, endedAt: now)))
                }
            }
        } onCancel: {
            core.transition {
                lazyFiles.ifMade { $0.stop(number) }
                player.stop(number)
            }
        }
        return try result.get()
    }

    /// Plays a sound in a category, as `play(_:category:options:)` does with a file.
    ///
    /// - Throws: ``RingerError`` if the category does not allow an option.
    public func play(
        _ sound: PCMBuffer, category: AudioCategory = .default, options: CategoryOptions = []
    ) async throws(RingerError) -> SoundResult {
        try check(category, options)
        let number = player.reserve()
        return await outcome(core) {
            sessions.playOwn(sound, reserved: number, as: category, options, completion: $0)
        } onCancel: {
            player.stop(number)
        }
    }

    /// Begins to play a sound in a category, as `play(_:category:options:)` does, and returns at once.
    ///
    /// - Parameters:
    ///   - sound: The sound.
    ///   - category: The purpose of the sound.
    ///   - options: The category's options.
    ///   - completion: Called once, with the outcome: on the caller's thread before the call returns where that is known by
    ///     then, else on the callback thread (``DeviceClock/callBack(_:)``).
    /// - Returns: The sound; ``SoundPlayer/stop(_:because:)`` stops it.
    /// - Throws: ``RingerError`` if the category does not allow an option.
    @discardableResult
    public func start(
        _ sound: PCMBuffer, category: AudioCategory = .default, options: CategoryOptions = [],
        completion: (@Sendable (SoundResult) -> Void)? = nil
    ) throws(RingerError) -> SoundPlayer.ID {
        let number = player.reserve()
        try start(
            sound, in: SoundManner(), reserved: number, category: category, options: options, completion: completion)
        return number
    }

    /// The same with a number that was reserved, in any manner.
    package func start(
        _ sound: PCMBuffer, in manner: SoundManner, reserved number: SoundPlayer.ID, category: AudioCategory,
        options: CategoryOptions, completion: (@Sendable (SoundResult) -> Void)?
    ) throws(RingerError) {
        try check(category, options)
        withUserCompletion(completion, on: clock, core) {
            sessions.playOwn(sound, in: manner, reserved: number, as: category, options, completion: $0)
        }
    }

    private func check(_ category: AudioCategory, _ options: CategoryOptions) throws(RingerError) {
        try process.check("play", "device")
        guard category.allowedOptions.isSuperset(of: options) else {
            throw RingerError(
                .invalid, "play with options \(options.rawValue)", "category \(category.rawValue)",
                detail: "the category does not allow them")
        }
    }

    /// Runs the motor in `pattern`, and returns how the vibration ended. No preference suppresses it. Cancelling the
    /// task stops it.
    ///
    /// - Parameter pattern: The pattern.
    /// - Returns: How it ended; failed if the device has no motor.
    public func vibrate(_ pattern: VibrationPattern = .standard) async -> SoundOutcome {
        guard let vibrator else {
            return .failed(RingerError(.notFound, "vibrate", "vibration motor", detail: "the device has none"))
        }
        return await vibrator.vibrate(pattern)
    }

    /// Stops every sound and the motor, at once.
    public func stopAll() {
        if !process.isCurrent { return }
        core.transition {
            lazyAnnouncements.ifMade { $0.clear() }
            lazyFiles.ifMade { $0.stopAll() }
            lazyAlerts.ifMade { $0.stop() }
            lazySounds.ifMade { $0.stopAll() }
            vibrator?.stop()
            lazyPlayer.ifMade { $0.stopAll() }
        }
    }

    /// Stops every sound, and closes the speaker's PCMs. `completion` is called once they are closed, or the device is.
    func releaseOutput(_ completion: @escaping @Sendable () -> Void) {
        if !process.isCurrent { return completion() }
        core.transition {
            // Queues first: nothing may begin another round, or replace a stopped sound. A paused queue begins nothing.
            lazyAnnouncements.ifMade { if !$0.isPaused { $0.clear(because: .outputReleased) } }
            lazyFiles.ifMade { $0.stopAll(because: .outputReleased) }
            lazyAlerts.ifMade { $0.stop(because: .outputReleased) }
            lazySounds.ifMade { $0.stopAll(because: .outputReleased) }
            lazyPlayer.ifMade { $0.stopAll(because: .outputReleased) }
            core.perform { [ports, waits] in
                waits.call(completion) { ports.speaker.release(stoppingSounds: true, completion: $0) }
            }
        }
    }
}
