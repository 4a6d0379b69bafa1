/// The volume keys: each press, and each repetition of one that is held, changes the volume of the kind of sound that is heard,
/// otherwise of alerts, by 1/16. It is a change of the preferences: it needs no mixer, and an event reports it.
struct VolumeKeys: Sendable {
    let player: Lazily<SoundPlayer>
    let sessions: Lazily<AudioSessions>

    /// How much louder a change of the device's state asks for, in steps; nil where it is none of a volume key.
    static func steps(of change: DeviceStateChange) -> Int? {
        switch change {
        case .key(.volumeUp, isPressed: true, _), .keyRepeated(.volumeUp, _): 1
        case .key(.volumeDown, isPressed: true, _), .keyRepeated(.volumeDown, _): -1
        default: nil
        }
    }

    /// The preferences after so many steps. Called inside a transition.
    func preferences(after steps: Int) -> UserPreferences {
        var preferences = player.part.preferences
        preferences.changeVolume(of: kind, bySteps: steps)
        return preferences
    }

    /// The kind whose volume the keys change now.
    private var kind: SoundKind {
        var kinds = player.part.runner.read { $0.kinds }
        sessions.ifMade { kinds.formUnion($0.kindsOfStreams) }
        return SoundKind.allCases.first(where: kinds.contains) ?? .alert
    }
}

extension AudioSessions {
    /// The kinds of the sessions whose sounds are not the player's: streams that run, and calls. One whose volume is 0 is among them:
    /// a key makes it louder again.
    fileprivate var kindsOfStreams: Set<SoundKind> {
        let (coordinator, playing) = runner.read { ($0.coordinator, $0.sounds) }
        var conditions = SessionSnapshot(
            coordinator: coordinator, state: publisher.state, preferences: player.preferences
        ).conditions
        return Set(
            coordinator.sessions.compactMap { session in
                guard session.isActive, playing[session.id] == nil, let kind = session.request.kind,
                    session.isSounding || kind == .call && publisher.state.sessions.contains(.call)
                else { return nil }
                let decision = conditions.decision(on: session)
                return decision.isHeard || decision.reason == .volumeZero ? kind : nil
            })
    }
}
