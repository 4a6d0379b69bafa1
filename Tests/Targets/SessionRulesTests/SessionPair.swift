import RingerPolicy
import SessionRules

/// Two sessions: one active, one activated beside it; and what the coordinator made of them.
struct SessionPair {
    static let first = SessionID(rawValue: 1)
    static let second = SessionID(rawValue: 2)

    var coordinator = SessionCoordinator()
    var actions: [SessionCoordinator.Action] = []

    init(
        active: SessionSettings, new: SessionSettings, relation: SessionArbitration.Relation = .same
    ) throws {
        let priorities: (active: SessionPriority, new: SessionPriority) =
            switch relation {
            case .lower: (.call, .ordinary)
            case .same: (.ordinary, .ordinary)
            case .higher: (.ordinary, .call)
            }
        try make(Self.first, active, priorities.active)
        try make(Self.second, new, priorities.new)
        try send(.activate(Self.first))
        actions = coordinator.handle(.activate(Self.second))
    }

    private mutating func make(_ id: SessionID, _ settings: SessionSettings, _ priority: SessionPriority) throws {
        try send(.make(id, priority: priority))
        try send(.setCategory(id, settings.category, options: settings.options))
        try send(.setSpoken(id, settings.isSpoken))
    }

    private mutating func send(_ event: SessionCoordinator.Event) throws {
        for case .refused(_, let error) in coordinator.handle(event) { throw error }
    }

    /// The outcome for the two, from their states alone.
    var outcome: SessionArbitration.Outcome? {
        guard let active = coordinator.session(Self.first), let new = coordinator.session(Self.second) else {
            return nil
        }
        if new.phase == .inactive { return active.isActive && !active.isDucked ? .refused : nil }
        if active.isInterrupted { return .activeInterrupted }
        let silent = coordinator.activity.contains(.silencesPlayback)
        switch (active.isDucked, new.isDucked) {
        case (true, true): return nil
        case (true, false): return silent ? nil : .activeDucked
        case (false, true): return silent ? nil : .newDucked
        case (false, false):
            if !silent { return .bothPlay }
            return active.settings.category.plays ? .activeSilenced : .newSilenced
        }
    }

    /// Whether the sound of `id` is heard, as the rules decide.
    func isHeard(_ id: SessionID) -> Bool {
        coordinator.isAudible(id, state: DeviceState())
    }
}
