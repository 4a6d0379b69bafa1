import RingerPolicy
import SessionRules
import Testing

/// A coordinator with sessions by name, for stories.
struct SessionStage {
    typealias Action = SessionCoordinator.Action

    var coordinator: SessionCoordinator
    private(set) var ids: [String: SessionID] = [:]
    /// What was to be done about the last event, without the answer to the client.
    private(set) var actions: [Action] = []

    /// A board with everything.
    static func board() throws -> RouteBoard {
        try RouteBoard([
            .init(.speaker, pcm: "spk"), .init(.receiver, pcm: "ear"), .init(.headphone, pcm: "hp"),
            .init(.headset, pcm: "hs"), .init(.line, pcm: "line", isFixed: false), .init(.bluetooth, pcm: "bt"),
        ])
    }

    /// A stage at a time in nanoseconds of CLOCK_MONOTONIC, with sessions that are active and play.
    init(at time: UInt64 = 0, playing profiles: KeyValuePairs<String, String> = [:]) throws {
        coordinator = SessionCoordinator(board: try Self.board(), at: time)
        try playing(profiles)
    }

    subscript(_ name: String) -> SessionID { ids[name] ?? SessionID(rawValue: 0) }

    func state(_ name: String) throws -> SessionState { try #require(coordinator.session(self[name])) }

    /// Makes a session of a profile such as "medi+mix".
    mutating func make(
        _ name: String, _ profile: String, _ priority: SessionPriority = .ordinary,
        client: SessionClientID = .local, isSpoken: Bool = false
    ) throws {
        let id = coordinator.unusedID
        ids[name] = id
        let settings = try SessionProfile(profile).settings
        try send(.make(id, client: client, name: name, priority: priority))
        try send(.setCategory(id, settings.category, options: settings.options))
        try send(.setSpoken(id, isSpoken))
    }

    /// Makes sessions that are active and play.
    mutating func playing(_ profiles: KeyValuePairs<String, String>) throws {
        for (name, profile) in profiles {
            try make(name, profile)
            try send(.activate(self[name]))
            try send(.sounding(self[name], true))
        }
    }

    /// Sends an event that must not be refused.
    mutating func send(_ event: SessionCoordinator.Event) throws {
        actions = coordinator.handle(event)
        if case .refused(_, let error)? = actions.first { throw error }
        if let id = event.request {
            #expect(actions.last == .accepted(id))
            actions.removeLast()
        }
    }

    /// The code with which the coordinator refuses an event; nil if it does not. Nothing must change.
    mutating func refusal(_ event: SessionCoordinator.Event) -> SessionError.Code? {
        let before = coordinator
        guard case .refused(let id, let error)? = coordinator.handle(event).first else { return nil }
        #expect(coordinator == before && id == event.request && error.session == id)
        return error.code
    }
}

extension SessionCoordinator {
    /// The value of property `rout` of session `id`; empty if there is no such session.
    func routeName(_ id: SessionID, state: DeviceState) -> String { facts(of: id, state: state)?.routeName ?? "" }

    /// Whether another session than `id`, or a process that has no session here, plays.
    func isOtherAudioPlaying(beside id: SessionID) -> Bool {
        facts(of: id, state: DeviceState())?.isOtherAudioPlaying ?? false
    }
}
