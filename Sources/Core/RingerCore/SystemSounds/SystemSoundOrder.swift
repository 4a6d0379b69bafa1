import Synchronization
import SystemSounds

/// What a caller wants to play, before the rules decide about it.
struct SystemSoundOrder: Sendable {
    /// Where the samples come from.
    enum Source: Sendable {
        /// There are none: it is a vibration.
        case none
        case registered(SystemSoundID)
        case predefined(PredefinedSound)
        /// Samples that are decoded already.
        case loaded(LoadedSound)
        /// A sound that is kept once it was decoded.
        case kept(KeptSound)
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

/// A sound of a service that plays it again and again: decoded at the first play, and kept whatever the cache does.
final class KeptSound: Sendable {
    let source: SystemSoundOrder.Source
    private let known = Mutex<Result<LoadedSound?, RingerError>?>(nil)

    init(_ source: SystemSoundOrder.Source) {
        self.source = source
    }

    /// The decoded sound, or why it can never be played; nil until one of them is known.
    var result: Result<LoadedSound?, RingerError>? { known.withLock { $0 } }

    /// Takes the result of decoding it, and keeps it if the next attempt would lead to the same.
    func keep(_ result: Result<LoadedSound?, RingerError>) {
        switch result {
        case .success(let sound?) where !sound.isFinal: return
        case .failure(let error) where error.mayPass: return
        case .success, .failure: known.withLock { $0 = result }
        }
    }
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

    /// Asks the policy about `order`. Its sound is yet to be decoded if it may be heard and is not in memory.
    func attempt(_ call: Call, _ order: SystemSoundOrder) -> SystemSoundAttempt {
        let now = engine.clock.now
        var attempt = SystemSoundAttempt(
            number: call.id.number, client: client, sound: order.sound, request: order.request,
            decision: engine.player.rules.decide(order.request), pattern: order.pattern,
            kind: order.kind, isFromCompletion: UserCode.isRunning && order.kind != .alertRound,
            fallback: order.fallback, requestedAt: now)
        attempt.outlivesProcess = table.properties(of: order.sound).completesPlaybackIfAppDies
        attempt.frames = frames(of: order.source)
        if case .failed(let error) = order.source { attempt.failure = error }
        guard attempt.decision.isHeard else { return attempt }
        if let sound = inMemory(order.source) { attempt.take(sound) } else { attempt.isLoading = true }
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

    /// The result of ``load(_:)`` if that needs neither reading nor synthesising; nil otherwise.
    private func inMemory(_ source: SystemSoundOrder.Source) -> Result<LoadedSound?, RingerError>? {
        switch source {
        case .none: return .success(nil)
        case .loaded(let sound): return .success(sound)
        case .failed(let error): return .failure(error)
        case .kept(let sound):
            if let known = sound.result { return known }
            let found = inMemory(sound.source)
            if let found { sound.keep(found) }
            return found
        case .predefined(let sound):
            guard let file = sound.file(on: engine.configuration.predefined.variant) else { return .success(nil) }
            return engine.cache[.predefined(file)].map { .success($0) }
        case .registered(let id):
            switch table.source(of: id) {
            case .samples(let samples): return .success(LoadedSound(samples))
            case .file: return engine.cache[.registered(client: client, id)].map { .success($0) }
            case nil: return .failure(SystemSoundError.unknown(id, "play").cause)
            }
        case .file: return nil
        }
    }

    /// Reads and decodes the sound of a call that is under way, without holding up the caller.
    func loadAside(_ source: SystemSoundOrder.Source, for call: Call) {
        engine.clock.runAside { [engine, weak self] in
            // It may have been stopped meanwhile.
            guard engine.isLoading(call.id.number) else { return }
            let result: Result<LoadedSound?, RingerError>
            do throws(RingerError) {
                guard let self else { throw RingerError(.closed, "play", "the system sound") }
                result = .success(try self.load(source))
            } catch {
                result = .failure(error)
            }
            engine.send(.loaded(call.id.number, result, now: engine.clock.now))
        }
    }

    /// The samples of `source`; nil if it has none.
    func load(_ source: SystemSoundOrder.Source) throws(RingerError) -> LoadedSound? {
        switch source {
        case .none: return nil
        case .loaded(let sound): return sound
        case .failed(let error): throw error
        case .kept(let sound):
            if let known = sound.result { return try known.get() }
            do throws(RingerError) {
                let loaded = try load(sound.source)
                sound.keep(.success(loaded))
                return loaded
            } catch {
                sound.keep(.failure(error))
                throw error
            }
        case .predefined(let sound):
            guard let file = sound.file(on: engine.configuration.predefined.variant) else { return nil }
            if let kept = engine.cache[.predefined(file)] { return kept }
            let loaded = engine.configuration.predefined.load(sound)
            if let loaded, loaded.isFinal { engine.cache.keep(loaded, for: .predefined(file)) }
            return loaded
        case .registered(let id):
            switch table.source(of: id) {
            case .samples(let samples): return LoadedSound(samples)
            case .file(let path, let frames):
                if let kept = engine.cache[.registered(client: client, id)] { return kept }
                let loaded = try SoundLoader.load(path, registeredWith: frames)
                guard loaded.isFinal else { return loaded }
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
        case .kept(let sound): return frames(of: sound.source)
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
