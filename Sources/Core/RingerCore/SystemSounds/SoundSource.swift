import Synchronization
import SystemSounds

/// Where the samples of a system sound come from.
enum SoundSource: Sendable {
    /// There are none: it is a vibration.
    case none
    /// They are in memory.
    case samples(PCMBuffer)
    /// A file, which had so many frames when it was registered.
    case file(String, frames: Int)
    /// A file of an application. If it is broken, the sound of the ID `otherwise` is played.
    case contained(ContainedFile, frames: Int, otherwise: SystemSoundID)
    case predefined(PredefinedSound)
    /// What the client has registered by this ID when the samples are needed.
    case registered(SystemSoundID)
    /// A sound that is kept once it was decoded.
    case kept(KeptSound)
    /// Nothing can be played, for this reason.
    case failed(RingerError)

    /// A sound, which may have no samples, or why it cannot be played.
    typealias Loaded = Result<LoadedSound?, RingerError>

    /// The way to the samples of a source.
    struct Access: Sendable {
        /// How many frames there are; 0 if that is not known without decoding them.
        var frames = 0
        /// What needs neither reading nor synthesising.
        var known: Loaded?
        /// What makes it the same as another sound; nil if nothing does.
        var key: SoundKey?
        var kept: KeptSound?
        /// Reads or synthesises the sound; with an error it must not read.
        var read: @Sendable (_ refusal: RingerError?) throws(RingerError) -> LoadedSound? = { _ in nil }
    }
}

/// A sound of a service that plays it again and again: decoded at the first play, and kept whatever the cache does. Any
/// thread.
final class KeptSound: Sendable {
    let source: SoundSource
    private let known = Mutex<SoundSource.Loaded?>(nil)

    init(_ source: SoundSource) {
        self.source = source
    }

    /// The decoded sound, or why it can never be played; nil until one of them is known.
    var result: SoundSource.Loaded? { known.withLock { $0 } }

    /// Why the sound can never be played; nil while it may be. If the system could not read its file, or the file ended too
    /// early, the next play tries again.
    var failure: RingerError? { if case .failure(let error)? = result { error } else { nil } }

    /// Takes the result of decoding it, and keeps it if the next attempt would lead to the same.
    func keep(_ result: SoundSource.Loaded) {
        switch result {
        case .success(let sound?) where !sound.isFinal: return
        case .failure(let error) where error.mayPass: return
        case .success, .failure: known.withLock { $0 = result }
        }
    }
}

extension SystemSoundServices {
    /// The way to the samples of `source`.
    func access(_ source: SoundSource) -> SoundSource.Access {
        switch source {
        case .none: return .init(known: .success(nil))
        case .samples(let samples): return .init(frames: samples.frames, known: .success(LoadedSound(samples)))
        case .failed(let error): return .init(known: .failure(error))
        case .file(let path, let frames):
            return .init(frames: frames) { refusal throws(RingerError) in
                if let refusal { throw refusal }
                return try SoundLoader.load(path, registeredWith: frames)
            }
        case .contained(let file, let frames, let otherwise):
            return .init(frames: frames, key: .contained(file.path, otherwise: otherwise)) {
                [weak self] refusal throws(RingerError) in
                do throws(RingerError) {
                    if let refusal { throw refusal }
                    return LoadedSound(try SoundLoader.load(FileByteSource(file), SoundLimits.systemSoundDuration))
                } catch {
                    guard let self else { throw error }
                    let samples = try samples(of: otherwise, refusal)
                    return samples.map { LoadedSound($0, fallback: SoundFallback(error)) }
                }
            }
        case .predefined(let sound):
            let predefined = engine.configuration.predefined
            guard let file = sound.file(on: predefined.variant) else { return .init(known: .success(nil)) }
            let key = SoundKey.predefined(file)
            return .init(frames: engine.cache[key]?.samples.frames ?? 0, key: key) { predefined.load(sound, $0) }
        case .registered(let id):
            guard let source = table.source(of: id) else {
                return .init(known: .failure(SystemSoundError.unknown(id, "play").cause))
            }
            var access = access(source)
            access.key = .registered(client: client, id)
            return access
        case .kept(let sound):
            var access = access(sound.source)
            access.kept = sound
            return access
        }
    }
}

extension SystemSoundEngine {
    /// The result of ``load(_:of:)`` if that needs neither reading nor synthesising; nil otherwise.
    func inMemory(_ access: SoundSource.Access) -> SoundSource.Loaded? {
        if let result = access.kept?.result { return result }
        let found = access.known ?? access.key.flatMap { cache[$0] }.map { .success($0) }
        if let found { access.kept?.keep(found) }
        return found
    }

    /// The samples of a source of the client whose sounds are in `table`; nil if it has none. With an error it must not read.
    func load(
        _ access: SoundSource.Access, of table: SystemSoundTable, _ refusal: RingerError?
    ) throws(RingerError) -> LoadedSound? {
        if let found = inMemory(access) { return try found.get() }
        let result = SoundSource.Loaded { () throws(RingerError) in try access.read(refusal) }
        access.kept?.keep(result)
        if let key = access.key, key.isCached, case .success(let sound?) = result, sound.isFinal {
            cache.keep(sound, for: key)
            // It may have been disposed of meanwhile.
            if case .registered(_, let id) = key, table.source(of: id) == nil { cache.remove { $0 == key } }
        }
        return try result.get()
    }
}
