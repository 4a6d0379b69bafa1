import RingerPolicy
import SeededGenerator
import SessionRules

/// What the coordinator does about random events, and what it then says of its sessions: the events of the model check.
enum Sessions {
    static func report() throws(SessionError) {
        var generator = SessionEventGenerator(random: SeededGenerator(seed: 42))
        let board = try RouteBoard(SessionEventGenerator.board)
        var digest = Digest()
        for _ in 0..<500 {
            var coordinator = SessionCoordinator(board: board)
            for _ in 0..<64 {
                for action in coordinator.handle(generator.next()) { digest.add(action) }
            }
            let state = DeviceState(ringSilent: generator.random.pick(SwitchPosition.allCases.map { $0 }))
            for session in coordinator.sessions {
                digest.add(session.settings)
                digest.add(session.activation)
                if let decision = coordinator.decide(session.id, state: state) { digest.add(decision) }
                if let facts = coordinator.facts(of: session.id, state: state) {
                    digest.add(facts.routeName)
                    digest.add(facts.isOtherAudioPlaying)
                }
            }
        }
        digest.report("sessions")
    }
}

extension Digest {
    mutating func add(_ action: SessionCoordinator.Action) {
        switch action {
        case .accepted(let id): add(0, id)
        case .refused(let id, let error):
            add(1, id)
            add(error.description)
        case .stopSound(let id, let reason):
            add(2, id)
            add(UInt64(reason.number))
        case .activated(let id): add(3, id)
        case .deactivated(let id): add(4, id)
        case .interruptionBegan(let id, let cause):
            add(5, id)
            add(cause.description)
        case .interruptionEnded(let id, let shouldResume):
            add(6, id)
            add(shouldResume)
        case .interruptionDropped(let id, let reason):
            add(7, id)
            add(UInt64(reason.number))
        case .duck(let id): add(8, id)
        case .unduck(let id): add(9, id)
        case .settingsChanged(let id, let settings):
            add(10, id)
            add(settings)
        case .routeChanged(let id, let change):
            add(11, id)
            add(change)
        case .deviceRouteChanged(let change): add(change)
        case .activityChanged(let activity): add(UInt64(activity.rawValue))
        case .preferencesChanged(let preferences):
            add(preferences.sampleRate)
            add(preferences.ioBufferDuration)
        }
    }

    private mutating func add(_ kind: UInt64, _ id: SessionID) {
        add(kind)
        add(id.rawValue)
    }

    mutating func add(_ settings: SessionSettings) {
        add(UInt64(settings.category.number))
        add(UInt64(settings.options.rawValue))
        add(UInt64(settings.overrides.rawValue))
        add(settings.isSpoken)
    }

    private mutating func add(_ change: RouteChange) {
        add(UInt64(change.reason.rawValue))
        add(change.old.name)
        add(change.new.name)
    }
}
