import SessionRules
import Synchronization

// The sounds that sessions play.
extension AudioSessions {
    /// Plays a sound, whose number was reserved, in the session `id`. `completion` runs inside a state machine and must not
    /// block.
    func play(
        _ sound: PCMBuffer, reserved number: SoundPlayer.ID, in id: SessionID,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        pending.add(number.number, PendingSounds.Pending(sound: sound, completion: completion))
        runner.send(.play(id, number.number))
    }

    /// Plays a sound, whose number was reserved, in the device's own session of that category and options. `completion`
    /// runs inside a state machine and must not block.
    ///
    /// These sessions mix with each other, and are arbitrated with all others. One is active while it plays. The caller has
    /// checked that the category allows the options.
    package func playOwn(
        _ sound: PCMBuffer, reserved number: SoundPlayer.ID, as category: AudioCategory, _ options: CategoryOptions,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        let request = SoundRequest.session(category, options: options)
        // What is not heard interrupts nobody. What its category refuses, the session refuses.
        guard category == .audioProcessing || player.rules.decide(request).isHeard else {
            return player.start(sound, reserved: number, as: request, completion: completion)
        }
        let (id, isNew) = runner.send { $0.ownSession(category, options) }
        if isNew { registry.add(id, name: category.rawValue) }
        pending.add(number.number, PendingSounds.Pending(sound: sound, completion: completion))
        runner.send(.playOwn(id, number.number))
    }
}

/// Sounds that have not begun yet. Any thread.
final class PendingSounds: Sendable {
    /// A sound that its session has not admitted yet.
    struct Pending: Sendable {
        var sound: PCMBuffer
        var completion: @Sendable (SoundResult) -> Void
    }

    private let sounds = Mutex<[UInt64: Pending]>([:])

    func add(_ number: UInt64, _ sound: Pending) {
        sounds.withLock { $0[number] = sound }
    }

    func take(_ number: UInt64) -> Pending? {
        sounds.withLock { $0.removeValue(forKey: number) }
    }
}

extension RingerError {
    /// A sound that could not be played because its session refused.
    init(_ error: SessionError) {
        let code: Code =
            switch error.code {
            case .incompatibleCategory: .incompatibleCategory
            case .noHardware: .notFound
            default: .sessionNotActive
            }
        self.init(code, "play", "session \(error.session?.rawValue ?? 0)", detail: "\(error)")
    }
}

extension RingerError.Code {
    /// The session is not active, so that nothing can be played in it.
    public static let sessionNotActive = RingerError.Code(rawValue: "sessionNotActive")
    /// The session's category neither plays nor records: ``AudioCategory/audioProcessing``.
    public static let incompatibleCategory = RingerError.Code(rawValue: "incompatibleCategory")
}
