import SystemSounds

/// Where the samples of a system sound come from.
enum SoundSource: Sendable {
    /// They are in memory, or there are none, as of a vibration; or why nothing can be played.
    case known(Loaded)
    /// A file, which had so many frames when it was registered.
    case file(String, frames: Int)
    /// A file of this name of an application. Where it cannot be played, the sound of the ID `otherwise` is.
    case contained(String, ApplicationContainer, otherwise: SystemSoundID)
    case predefined(PredefinedSound)
    /// What the client has registered by this ID when the samples are needed.
    case registered(SystemSoundID)

    /// A sound, none, or why it cannot be played. Not a `Result` of an optional sound: valgrind would report a look at its case
    /// as one at a value that was never set.
    struct Loaded: Sendable, Equatable {
        var sound: PCMBuffer?
        var error: RingerError?

        static func success(_ sound: PCMBuffer?) -> Self { .init(sound: sound) }
        static func failure(_ error: RingerError) -> Self { .init(error: error) }
    }

    /// The way to the samples of a source.
    struct Access: Sendable {
        /// How many frames there are; 0 if that is not known without decoding them.
        var frames = 0
        /// What needs neither reading nor synthesising.
        var known: Loaded?
        /// What makes it the same as another sound; nil if nothing does.
        var key: SoundKey?
        /// Reads or synthesises the sound; with an error it must not read.
        var read: @Sendable (_ refusal: RingerError?) throws(RingerError) -> PCMBuffer? = { _ in nil }
    }
}

extension SoundSource.Loaded {
    /// What `body` returns, or throws.
    init(_ body: () throws(RingerError) -> PCMBuffer?) {
        do throws(RingerError) { sound = try body() } catch { self.error = error }
    }

    /// The sound; nil for none.
    func get() throws(RingerError) -> PCMBuffer? {
        if let error { throw error }
        return sound
    }

    /// Whether it would be the same if it were loaded again: then it may be kept.
    var isFinal: Bool { error.map { !$0.mayPass } ?? sound?.isFinal ?? true }
}

extension SystemSoundServices {
    /// The way to the samples of `source`.
    func access(_ source: SoundSource) -> SoundSource.Access {
        switch source {
        case .known(let loaded):
            return .init(frames: loaded.sound?.frames ?? 0, known: loaded)
        case .file(let path, let frames):
            return .init(frames: frames) { refusal throws(RingerError) in
                if let refusal { throw refusal }
                return try SoundLoader.load(path, maximumDuration: SoundLimits.systemSoundDuration)
            }
        case .contained(let name, let container, let otherwise):
            return .init(key: .contained(name, container, otherwise: otherwise)) {
                [weak self] refusal throws(RingerError) in
                do throws(RingerError) {
                    if let refusal { throw refusal }
                    return try container.sound(named: name)
                } catch {
                    guard let self else { throw error }
                    return try samples(of: otherwise, refusal)?.standingIn(because: error)
                }
            }
        case .predefined(let sound):
            let predefined = engine.configuration.predefined
            guard let file = sound.file(on: predefined.variant) else { return .init(known: .success(nil)) }
            let key = SoundKey.predefined(file)
            return .init(frames: engine.cache[key]?.frames ?? 0, key: key) { predefined.samples(of: sound, $0) }
        case .registered(let id):
            guard let source = table.source(of: id) else {
                return .init(known: .failure(SystemSoundError.unknown(id, "play").cause))
            }
            var access = access(source)
            access.key = .registered(client: client, id)
            return access
        }
    }
}

extension SystemSoundEngine {
    /// The result of ``load(_:of:)`` if that needs neither reading nor synthesising; nil otherwise.
    func inMemory(_ access: SoundSource.Access) -> SoundSource.Loaded? {
        access.known ?? access.key.flatMap { cache[$0] }.map { .success($0) }
    }

    /// The samples of a source of the client whose sounds are in `table`; nil if it has none. With an error it must not read.
    func load(
        _ access: SoundSource.Access, of table: SystemSoundTable, _ refusal: RingerError?
    ) throws(RingerError) -> PCMBuffer? {
        if let found = inMemory(access) { return try found.get() }
        let sound = try access.read(refusal)
        if let sound, sound.isFinal, let key = access.key, key.isCached {
            cache.keep(sound, for: key)
            // It may have been disposed of meanwhile.
            if case .registered(_, let id) = key, table.source(of: id) == nil { cache.remove { $0 == key } }
        }
        return sound
    }
}
