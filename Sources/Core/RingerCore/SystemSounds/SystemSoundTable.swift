import Synchronization

/// One client's registered sounds, with the properties and completions of IDs. Any thread.
final class SystemSoundTable: Sendable {
    typealias Completion = @Sendable (SystemSoundID, SoundOutcome) -> Void

    private struct Registration {
        let completion: Completion
    }

    private struct State {
        var sounds: [SystemSoundID: SoundSource] = [:]
        /// The properties of sounds of which one was set, predefined ones too.
        var properties: [SystemSoundID: [SystemSoundProperty: Bool]] = [:]
        var completions: [SystemSoundID: Registration] = [:]
        var next = SystemSoundID.predefined.upperBound + 1
        var isClosed = false
    }

    private let state = Mutex(State())

    /// How many sounds are registered, and how many properties and completions are kept.
    var count: (sounds: Int, properties: Int, completions: Int) {
        state.withLock { ($0.sounds.count, $0.properties.count, $0.completions.count) }
    }

    /// Registers a sound under a new ID; nil if the client was closed.
    func add(_ source: SoundSource) -> SystemSoundID? {
        state.withLock { state in
            if state.isClosed { return nil }
            while true {
                let id = SystemSoundID(rawValue: state.next)
                state.next = state.next == .max ? SystemSoundID.predefined.upperBound + 1 : state.next + 1
                if state.sounds[id] == nil {
                    state.sounds[id] = source
                    return id
                }
            }
        }
    }

    /// Makes `number` the next ID to be tried.
    func skip(to number: UInt32) {
        state.withLock { $0.next = number }
    }

    /// Forgets a registered sound; false if there is none.
    func remove(_ id: SystemSoundID) -> Bool {
        // The samples, and what the completion refers to, are freed outside of the lock.
        let (source, completion): (SoundSource?, Completion?) = state.withLock { state in
            guard let source = state.sounds.removeValue(forKey: id) else { return (nil, nil) }
            state.properties[id] = nil
            return (source, state.completions.removeValue(forKey: id)?.completion)
        }
        return withExtendedLifetime((source, completion)) { source != nil }
    }

    /// Forgets everything for good.
    ///
    /// - Returns: The IDs whose sounds play on to their end; nil if the table was closed before.
    func removeAll() -> Set<SystemSoundID>? {
        let before: State? = state.withLock { state in
            if state.isClosed { return nil }
            defer { state = State(next: state.next, isClosed: true) }
            return state
        }
        return before.map { Set($0.properties.filter { $0.value[.completePlaybackIfAppDies] == true }.keys) }
    }

    func source(of id: SystemSoundID) -> SoundSource? {
        state.withLock { $0.sounds[id] }
    }

    /// Whether the ID is a registered sound's or a predefined one's.
    func contains(_ id: SystemSoundID) -> Bool {
        id.predefinedSound != nil || source(of: id) != nil
    }

    func value(of property: SystemSoundProperty, of id: SystemSoundID) -> Bool {
        state.withLock { ($0.properties[id] ?? SystemSoundProperty.defaults)[property] ?? false }
    }

    /// Changes a property; false if there is no such sound.
    func set(_ property: SystemSoundProperty, of id: SystemSoundID, to value: Bool) -> Bool {
        state.withLock { state in
            guard state.sounds[id] != nil || id.predefinedSound != nil else { return false }
            state.properties[id, default: SystemSoundProperty.defaults][property] = value
            return true
        }
    }

    /// Sets the completion; false if there is no such sound.
    func setCompletion(_ completion: Completion?, of id: SystemSoundID) -> Bool {
        let (isSet, before): (Bool, Completion?) = state.withLock { state in
            guard state.sounds[id] != nil || id.predefinedSound != nil else { return (false, nil) }
            defer { state.completions[id] = completion.map { Registration(completion: $0) } }
            return (true, state.completions[id]?.completion)
        }
        return withExtendedLifetime(before) { isSet }
    }

    func completion(of id: SystemSoundID) -> Completion? {
        state.withLock { $0.completions[id]?.completion }
    }
}
