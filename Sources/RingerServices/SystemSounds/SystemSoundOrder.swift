import SystemSounds

/// What a caller wants to play, before the rules decide about it.
struct SystemSoundOrder: Sendable {
    /// If the samples come from.
    enum Source: Sendable {
        /// There are none: it is a vibration.
        case none
        case registered(SystemSoundID)
        case predefined(PredefinedSound)
        /// Samples that are decoded already.
        case loaded(LoadedSound)
        /// A file that is not registered. If it is broken, the sound of the ID `otherwise` is played.
        case file(ContainedFile, frames: Int, otherwise: SystemSoundID)
        /// Nothing can be played, for this reason.
        case failed(RingerError)
    }

    /// Which service plays the sound.
    enum Kind: Sendable, Hashable {
        /// System Sound Services. The completion of the ID runs at the end.
        case play
        /// An alert. A round is never made from a completion, on whatever thread it begins.
        case alertRound
        /// A notification.
        case notification
    }

    var sound: SystemSoundID
    var request: SoundRequest
    var source: Source
    var pattern: VibrationPattern?
    var kind = Kind.play
    var fallback: SoundFallback?
}

extension SystemSoundServices {
    /// The order that playing `id` amounts to.
    func order(_ id: SystemSoundID, as use: Use) -> SystemSoundOrder {
        let properties = table.properties(of: id)
        let request: SoundRequest =
            switch use {
            case .sound: .systemSound(isUISound: properties.isUISound)
            case .alert: .alert
            }
        let pattern = use == .alert ? VibrationPattern.standard : nil
        if let predefined = id.predefinedSound {
            if let pattern = VibrationPattern(predefined.vibration) {
                return SystemSoundOrder(sound: id, request: .vibration, source: .none, pattern: pattern)
            }
            return SystemSoundOrder(sound: id, request: request, source: .predefined(predefined), pattern: pattern)
        }
        guard table.source(of: id) != nil else {
            return SystemSoundOrder(
                sound: id, request: request, source: .failed(SystemSoundError.unknown(id, "play").cause))
        }
        return SystemSoundOrder(sound: id, request: request, source: .registered(id), pattern: pattern)
    }

    /// Asks the policy about `order`, and decodes its sound where it may be heard.
    func attempt(_ call: Call, _ order: SystemSoundOrder) -> SystemSoundAttempt {
        let now = engine.clock.now
        var attempt = SystemSoundAttempt(
            number: call.id.number, client: client, sound: order.sound, request: order.request,
            decision: engine.player.rules.decide(order.request), pattern: order.pattern,
            kind: order.kind, isFromCompletion: UserCode.isRunning && order.kind != .alertRound,
            fallback: order.fallback, requestedAt: now)
        attempt.frames = frames(of: order.source)
        if case .failed(let error) = order.source { attempt.failure = error }
        guard attempt.decision.isHeard else { return attempt }
        do throws(RingerError) {
            if let sound = try load(order.source) {
                attempt.samples = sound.samples
                attempt.frames = sound.samples.frames
                attempt.fallback = sound.fallback ?? order.fallback
            }
        } catch {
            attempt.failure = error
        }
        return attempt
    }

    /// Decodes or synthesises a sound into the cache, so that it starts at once when it is played next.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound, or its file cannot be read any more.
    public func prepare(_ id: SystemSoundID) throws(SystemSoundError) {
        _ = try samples(of: id)
    }

    /// The samples of a sound, decoded or synthesised; nil for one that has none, such as a vibration.
    ///
    /// - Throws: ``SystemSoundError`` where there is no such sound, or its file cannot be read any more.
    public func samples(of id: SystemSoundID) throws(SystemSoundError) -> PCMBuffer? {
        do throws(RingerError) {
            return try load(order(id, as: .sound).source)?.samples
        } catch {
            throw SystemSoundError(error)
        }
    }

    /// The samples of `source`; nil if it has none.
    func load(_ source: SystemSoundOrder.Source) throws(RingerError) -> LoadedSound? {
        switch source {
        case .none: return nil
        case .loaded(let sound): return sound
        case .failed(let error): throw error
        case .predefined(let sound):
            guard let file = sound.file(on: engine.configuration.predefined.variant) else { return nil }
            if let kept = engine.cache[.predefined(file)] { return kept }
            let loaded = engine.configuration.predefined.load(sound)
            if let loaded { engine.cache.keep(loaded, for: .predefined(file)) }
            return loaded
        case .registered(let id):
            switch table.source(of: id) {
            case .samples(let samples): return LoadedSound(samples)
            case .file(let path, _):
                if let kept = engine.cache[.registered(client: client, id)] { return kept }
                let loaded = LoadedSound(
                    try SoundLoader.load(path, maximumDuration: SoundLimits.systemSoundDuration))
                engine.cache.keep(loaded, for: .registered(client: client, id))
                // It may have been disposed of meanwhile.
                if table.source(of: id) == nil { engine.cache.remove(.registered(client: client, id)) }
                return loaded
            case nil: throw SystemSoundError.unknown(id, "play").cause
            }
        case .file(let file, _, let otherwise):
            do throws(RingerError) {
                return LoadedSound(try SoundLoader.load(file, maximumDuration: SoundLimits.systemSoundDuration))
            } catch {
                let sound = try load(self.order(otherwise, as: .sound).source)
                return sound.map { LoadedSound($0.samples, fallback: SoundFallback(error)) }
            }
        }
    }

    /// How many frames `source` has; 0 if that is not known without decoding it.
    private func frames(of source: SystemSoundOrder.Source) -> Int {
        switch source {
        case .none, .failed: return 0
        case .loaded(let sound): return sound.samples.frames
        case .file(_, let frames, _): return frames
        case .predefined(let sound):
            let file = sound.file(on: engine.configuration.predefined.variant)
            return file.flatMap { engine.cache[.predefined($0)]?.samples.frames } ?? 0
        case .registered(let id):
            switch table.source(of: id) {
            case .samples(let samples): return samples.frames
            case .file(_, let frames): return frames
            case nil: return 0
            }
        }
    }
}
