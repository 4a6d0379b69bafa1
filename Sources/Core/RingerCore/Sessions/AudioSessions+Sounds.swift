import SessionRules

// The sounds that sessions play.
extension AudioSessions {
    /// Plays a sound, whose number was reserved, in the session `id`. `completion` runs inside a transition.
    func play(
        _ sound: PCMBuffer, manner: SoundManner = SoundManner(), reserved number: SoundPlayer.ID, in id: SessionID,
        completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        if player.refuses(sound, completion) { return }
        core.transition {
            add(sound, manner, as: number, to: id, completion)
            runner.send(.play(id, number.number))
        }
    }

    /// Plays a sound, whose number was reserved, in the device's own session of that category and options. `completion`
    /// runs inside a transition.
    ///
    /// These sessions mix with each other, and are arbitrated with all others. One is active while it plays. The caller has
    /// checked that the category allows the options.
    package func playOwn(
        _ sound: PCMBuffer, in manner: SoundManner = SoundManner(), reserved number: SoundPlayer.ID,
        as category: AudioCategory, _ options: CategoryOptions, completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        if player.refuses(sound, completion) { return }
        core.transition {
            let request = SoundRequest.session(category, options: options)
            // What is not heard interrupts nobody. What its category refuses, the session refuses.
            guard category == .audioProcessing || player.rules.decide(request).isHeard else {
                player.add(sound, as: number, in: manner, completion: completion)
                return player.start(number, under: SoundTerms(request: request))
            }
            let (id, isNew) = runner.send { $0.ownSession(category, options) }
            if isNew { register(id, category.rawValue) }
            add(sound, manner, as: number, to: id, completion)
            runner.send(.playOwn(id, number.number))
        }
    }

    private func add(
        _ sound: PCMBuffer, _ manner: SoundManner, as number: SoundPlayer.ID, to id: SessionID,
        _ completion: @escaping @Sendable (SoundResult) -> Void
    ) {
        player.add(sound, as: number, in: manner) { [weak runner] result in
            runner?.send(.ended(id, number.number))
            completion(result)
        }
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
