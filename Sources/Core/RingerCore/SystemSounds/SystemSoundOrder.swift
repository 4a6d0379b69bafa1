import SystemSounds

/// What a caller wants to play, before the rules decide about it.
struct SystemSoundOrder: Sendable {
    /// Which service plays the sound.
    enum Kind: Sendable, Hashable {
        /// System Sound Services. The completion of the ID runs at the end.
        case play
        /// An alert. A round is never made from a completion, on whatever thread it begins.
        case alertRound
        /// A notification.
        case notification
        /// Goes the way of a silenced sound, and is reported to nobody.
        case rehearsal
    }

    var sound: SystemSoundID
    var request: SoundRequest
    var source: SoundSource
    var pattern: VibrationPattern?
    var kind = Kind.play
    var fallback: SoundFallback?
    /// Gets the sound once it has been read and decoded, inside a transition, though the call may be over by then.
    var keep: (@Sendable (SoundSource.Loaded) -> Void)?
}

extension SystemSoundServices {
    /// The order that playing `id` amounts to.
    func order(_ id: SystemSoundID, as use: Use) -> SystemSoundOrder {
        let request: SoundRequest =
            switch use {
            case .sound: .systemSound(isUISound: table.value(of: .isUISound, of: id))
            case .alert: .alert
            case .alarm: .alarm
            }
        var order = SystemSoundOrder(
            sound: id, request: request, source: .registered(id), pattern: use == .sound ? nil : .standard)
        if let predefined = id.predefinedSound {
            order.source = .predefined(predefined)
            if let pattern = predefined.pattern {
                (order.request, order.source, order.pattern) = (.vibration, .known(.success(nil)), pattern)
            }
        } else if table.source(of: id) == nil {
            (order.source, order.pattern) = (.known(.failure(SystemSoundError.unknown(id, "play").cause)), nil)
        }
        return order
    }

    /// Asks the policy about `order`. Its sound is yet to be decoded if it may be heard and is not in memory.
    func attempt(_ call: Call, _ order: SystemSoundOrder) -> SystemSoundAttempt {
        let now = engine.clock.now
        let decision = engine.player.rules.decide(order.request)
        let access = access(order.source)
        // A sound without samples is over as soon as it begins.
        var outcome = decision.isHeard ? SoundOutcome.finished : .silenced(by: decision.reason)
        if case .known(let known) = order.source, let error = known.error { outcome = .failed(error) }
        var attempt = SystemSoundAttempt(
            number: call.id.number, sound: SystemSoundQueue.Sound(client: client, id: order.sound, kind: order.kind),
            request: order.request, decision: decision, pattern: order.pattern,
            isFromCompletion: UserCode.isRunning && order.kind != .alertRound,
            outlivesProcess: table.value(of: .completePlaybackIfAppDies, of: order.sound),
            result: SystemSoundResult(
                sound: order.sound, outcome: outcome, vibrated: false, fallback: order.fallback, requestedAt: now,
                endedAt: now, position: StreamPosition(played: 0, total: Int64(access.frames))))
        guard decision.isHeard else { return attempt }
        if let sound = engine.inMemory(access) { attempt.take(sound) } else { attempt.isLoading = true }
        return attempt
    }

    /// Decodes or synthesises a sound into the cache, so that it starts at once when it is played next.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound, or its file cannot be read any more.
    public func prepare(_ id: SystemSoundID) throws(SystemSoundError) {
        _ = try samples(of: id)
    }

    /// The samples of a sound, decoded or synthesised; nil for one that has none, such as a vibration. Where its file cannot be
    /// played, another sound's, with a ``PCMBuffer/shortfall`` that says why.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound, or its file cannot be read any more.
    public func samples(of id: SystemSoundID) throws(SystemSoundError) -> PCMBuffer? {
        do throws(RingerError) {
            return try samples(of: id, nil)
        } catch {
            throw SystemSoundError(error)
        }
    }

    /// The same; with an error, no file must be read.
    package func samples(of id: SystemSoundID, _ refusal: RingerError?) throws(RingerError) -> PCMBuffer? {
        try engine.load(access(order(id, as: .sound).source), of: table, refusal)
    }

    /// The samples of a sound that need neither reading nor synthesising; nil where there are none.
    package func samplesInMemory(of id: SystemSoundID) -> PCMBuffer? {
        try? engine.inMemory(access(order(id, as: .sound).source))?.get()
    }

    /// Reads and decodes the sound of a call that is under way, without holding up the caller.
    func loadAside(_ order: SystemSoundOrder, for call: Call) {
        let access = access(order.source)
        // The length of an application's file is not known before it is found.
        let isUnknown = if case .contained = order.source { true } else { false }
        let bytes = isUnknown ? SoundReadQueue.mostBytes : access.frames * 2 * MemoryLayout<Int16>.size
        // The client may be closed meanwhile, and the sound play on to its end.
        let number = call.id.number
        let waiting = SoundReadQueue.Call { [engine] in
            engine.runner.read { $0.isLoading(number) }
        } read: { [engine, table] refusal in
            SoundSource.Loaded { () throws(RingerError) in try engine.load(access, of: table, refusal) }
        } deliver: { [engine] loaded in
            engine.core.transition {
                order.keep?(loaded)
                engine.runner.send(.loaded(number, loaded, now: engine.clock.now))
            }
        }
        engine.player.loads.load(access.key ?? .call(number), bytes: bytes, for: waiting)
    }
}
