import RingerPolicy
import SessionRules

/// What a client and the device know of the sessions from the actions alone, checked against the coordinator and
/// against the promises that it makes.
struct SessionModel {
    typealias Coordinator = SessionCoordinator

    /// A promise that was broken.
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    /// One session as its client knows it.
    private struct Known {
        var phase = SessionState.Phase.inactive
        var isDucked = false
        var isSounding = false
        var settings = SessionSettings()
        var route: SessionRoute
    }

    private(set) var coordinator: Coordinator
    /// What stands between the coordinator and the model: it may lose actions, to see that the model notices.
    private let tamper: (@Sendable ([Coordinator.Action]) -> [Coordinator.Action])?
    private var known: [SessionID: Known] = [:]
    private var activity: SessionActivity = []
    private var preferences = SessionPreferences()
    private var deviceRoute: SessionRoute
    /// How many interruptions began, ended, and were dropped.
    private(set) var counts = (began: 0, ended: 0, dropped: 0, refused: 0, ducked: 0)

    init(
        board: RouteBoard, tamper: (@Sendable ([Coordinator.Action]) -> [Coordinator.Action])? = nil
    ) {
        coordinator = SessionCoordinator(board: board)
        deviceRoute = coordinator.deviceRoute
        self.tamper = tamper
    }

    /// Runs `events` from the beginning and then lets everything end.
    ///
    /// - Returns: What was broken first, and after how many events; nil if everything was kept.
    static func run(
        _ events: [Coordinator.Event], board: RouteBoard,
        tamper: (@Sendable ([Coordinator.Action]) -> [Coordinator.Action])? = nil
    ) -> (after: Int, Broken)? {
        var model = SessionModel(board: board, tamper: tamper)
        for (index, event) in events.enumerated() {
            do { try model.take(event) } catch { return (index + 1, error) }
        }
        do { try model.drain() } catch { return (events.count, error) }
        return nil
    }

    mutating func take(_ event: Coordinator.Event) throws(Broken) {
        let before = coordinator
        var actions = coordinator.handle(event)
        if let tamper { actions = tamper(actions) }
        try checkAnswer(event, actions, before)
        learn(event, actions)
        var resumed: Set<SessionID> = []
        for action in actions {
            try follow(action, event)
            switch action {
            case .interruptionEnded(let id, true): resumed.insert(id)
            case .interruptionBegan(let id, _):
                try require(!resumed.contains(id), "a session resumes and is interrupted at once")
            default: break
            }
        }
        if !actions.isEmpty || coordinator != before { try check() }
    }

    /// Ends every interruption and every activity: each interrupted session gets an end.
    mutating func drain() throws(Broken) {
        for interruption in coordinator.outside { try take(.outsideEnded(interruption, shouldResume: true)) }
        while let leader = coordinator.leader { try take(.deactivate(leader.id)) }
        try require(!coordinator.sessions.contains { $0.isInterrupted }, "a session waits for an end that never comes")
        try require(coordinator.activity.isEmpty, "nothing is active, and yet there is activity")
    }

    private func require(
        _ condition: Bool, _ message: @autoclosure () -> String
    ) throws(Broken) {
        if !condition { throw Broken(description: message()) }
    }

    private func checkAnswer(
        _ event: Coordinator.Event, _ actions: [Coordinator.Action], _ before: Coordinator
    ) throws(Broken) {
        var answers = 0
        for action in actions {
            switch action {
            case .accepted(let id):
                answers += 1
                try require(id == event.request, "another session's request was accepted")
            case .refused(let id, let error):
                answers += 1
                try require(id == event.request && error.session == id, "another session's request was refused")
                try require(actions.count == 1 && coordinator == before, "a refused request changed something")
            default: break
            }
        }
        try require(answers == (event.request == nil ? 0 : 1), "\(answers) answers to \(event)")
    }

    /// What the client knows because it asked for it, once it was accepted.
    private mutating func learn(_ event: Coordinator.Event, _ actions: [Coordinator.Action]) {
        if case .refused? = actions.first {
            counts.refused += 1
            return
        }
        switch event {
        case .make(let id, _, _, _):
            known[id] = Known(route: coordinator.routes.route(for: SessionSettings()))
        case .sounding(let id, let isSounding): known[id]?.isSounding = isSounding
        default: break
        }
    }

    private mutating func follow(
        _ action: Coordinator.Action, _ event: Coordinator.Event
    ) throws(Broken) {
        switch action {
        case .accepted(let id):
            if event == .remove(id) { known[id] = nil }
        case .refused: break
        case .stopSound(let id, _):
            try require(known[id]?.isSounding == true, "a session is stopped that does not play")
            known[id]?.isSounding = false
        case .activated(let id):
            try require(known[id]?.phase == .inactive, "a session becomes active that was not inactive")
            known[id]?.phase = .active
        case .deactivated(let id):
            known[id]?.phase = .inactive
        case .interruptionBegan(let id, _):
            try require(known[id]?.phase == .active, "a session is interrupted that is not active")
            try require(known[id]?.isSounding == false, "a session is interrupted and plays on")
            known[id]?.phase = .interrupted
            counts.began += 1
        case .interruptionEnded(let id, let shouldResume):
            try require(known[id]?.phase == .interrupted, "an interruption ends that did not begin")
            known[id]?.phase = shouldResume ? .active : .inactive
            counts.ended += 1
        case .interruptionDropped(let id, _):
            try require(known[id]?.phase == .interrupted, "an interruption is dropped that did not begin")
            known[id]?.phase = .inactive
            counts.dropped += 1
        case .duck(let id):
            try require(known[id]?.isDucked == false, "a session is ducked twice")
            known[id]?.isDucked = true
            counts.ducked += 1
        case .unduck(let id):
            try require(known[id]?.isDucked == true, "a session comes back that was not ducked")
            known[id]?.isDucked = false
        case .settingsChanged(let id, let settings):
            try require(known[id]?.settings != settings, "settings change to the same")
            known[id]?.settings = settings
        case .routeChanged(let id, let change):
            try require(known[id]?.route == change.old, "a route changes from where it was not")
            try require(
                change.old != change.new || change.reason == .wakeFromSleep || change.new.output == nil,
                "a route changes to the same")
            known[id]?.route = change.new
        case .deviceRouteChanged(let change):
            try require(deviceRoute == change.old, "the device's route changes from where it was not")
            deviceRoute = change.new
        case .activityChanged(let now):
            try require(activity != now, "the activity changes to the same")
            activity = now
        case .preferencesChanged(let now):
            try require(preferences != now, "the preferences change to the same")
            preferences = now
        }
    }

    // The state as it is.

    private mutating func check() throws(Broken) {
        if known.count != coordinator.sessions.count { forgetRemoved() }
        var previous: SessionID?
        for session in coordinator.sessions {
            try require(previous.map { $0 < session.id } ?? true, "the sessions are out of order")
            previous = session.id
            try checkKnown(session)
            try checkAlone(session)
        }
        try checkTogether()
    }

    /// A client that died gets no more actions; its sessions' effects must have been undone before.
    private mutating func forgetRemoved() {
        for id in Array(known.keys) where coordinator.session(id) == nil { known[id] = nil }
    }

    private func checkKnown(_ session: SessionState) throws(Broken) {
        guard let known = known[session.id] else { throw Broken(description: "a session that nobody made") }
        try require(known.phase == session.phase, "the client believes \(known.phase), it is \(session.phase)")
        try require(known.isDucked == session.isDucked, "the client was not told of ducking")
        try require(known.isSounding == session.isSounding, "the client was not told of its sound")
        try require(known.settings == session.settings, "the client was not told of its settings")
        try require(known.route == session.route, "the client was not told of its route")
    }

    private func checkAlone(_ session: SessionState) throws(Broken) {
        let settings = session.settings
        try require(session.isActive || !session.isSounding, "a session plays that is not active")
        try require(settings.category.allowedOptions.isSuperset(of: settings.options), "an option is not allowed")
        try require(session.route == coordinator.routes.route(for: settings), "a route is out of date")
        try require(settings.overrides.categories.contains(settings.category), "an override is not allowed")
        try require(
            session.isInterrupted != session.causes.isEmpty, "an interruption without a cause, or a cause alone")
        if session.isInterrupted {
            for other in coordinator.sessions where other.isActive {
                let relation = SessionArbitration.Relation(other.priority, to: session.priority)
                let outcome = SessionArbitration.outcome(
                    active: settings.mixing, new: other.settings.mixing, relation: relation)
                try require(
                    outcome != .activeInterrupted || session.causes.contains(.session(other.id)),
                    "a session does not wait for one that would interrupt it")
            }
        }
        for (index, cause) in session.causes.enumerated() {
            try require(!session.causes[..<index].contains(cause), "a cause twice")
            switch cause {
            case .outside(let interruption):
                try require(coordinator.outside.contains(interruption), "a cause that is over")
            case .session(let id):
                try require(coordinator.session(id).map { $0.phase != .inactive } ?? false, "a cause that is over")
            case .service:
                try require(false, "a service interrupts where there is none")
            }
        }
    }

    /// What the active sessions prefer: the most important that prefers anything, and the newest of those.
    private func preferred<Value: Numeric>(_ wish: KeyPath<SessionPreferences, Value>) -> Value {
        var best: SessionState?
        for session in coordinator.sessions where session.isActive && session.preferences[keyPath: wish] != 0 {
            let isBetter = best.map { ($0.priority, $0.activation) < (session.priority, session.activation) } ?? true
            if isBetter { best = session }
        }
        return best?.preferences[keyPath: wish] ?? 0
    }

    private func checkTogether() throws(Broken) {
        let active = coordinator.sessions.filter { $0.isActive }
        try require(active.count { !$0.settings.mixing.mixes } <= 1, "two sessions that do not mix are active")
        try require(coordinator.outside.isEmpty || active.isEmpty, "a session is active during an interruption")
        let waits = coordinator.sessions.contains { $0.isInterrupted }
        try require(!waits || !active.isEmpty || !coordinator.outside.isEmpty, "a session waits for nobody")

        var now: SessionActivity = coordinator.outside.isEmpty ? [] : .interrupted
        if active.contains(where: { !$0.settings.category.plays }) { now.insert(.silencesPlayback) }
        if active.contains(where: { $0.settings.category.records }) { now.insert(.records) }
        let calls = active.filter { $0.settings.category == .playAndRecord }
        if calls.contains(where: { $0.priority >= .call }) { now.formUnion([.call, .callByPriority]) }
        if calls.contains(where: { $0.settings.mixing != .mixing }) { now.insert(.call) }
        try require(now == coordinator.activity && now == activity, "the activity is wrong")

        for session in active {
            var isDucked = false
            for other in active where other.id != session.id {
                if session.priority < other.priority {
                    try require(
                        session.settings.mixing.mixes || other.settings.mixing.mixes, "a lower one is exclusive")
                    try require(other.settings.mixing.mixes, "beside a higher one that does not mix")
                    try require(session.settings.category.plays, "a lower one silences a higher one")
                }
                guard other.settings.mixing == .ducking, session.priority <= other.priority else { continue }
                let yields = session.settings.mixing != .ducking || session.priority < other.priority
                isDucked = isDucked || yields || session.activation < other.activation
            }
            if now.contains(.silencesPlayback) { isDucked = false }
            try require(session.isDucked == isDucked, "a session is ducked without a ducker, or not with one")
        }

        try require(preferences == coordinator.preferences, "the preferences are out of date")
        try require(preferences.sampleRate == preferred(\.sampleRate), "another rate is preferred")
        try require(preferences.ioBufferDuration == preferred(\.ioBufferDuration), "another buffer is preferred")

        let sounding = coordinator.sessions.count { $0.isSounding }
        for session in coordinator.sessions {
            let others = sounding - (session.isSounding ? 1 : 0)
            let isPlaying = coordinator.isOutsideAudioPlaying || others > 0
            let facts = coordinator.facts(of: session.id, state: DeviceState())
            try require(facts?.isOtherAudioPlaying == isPlaying, "other audio is wrong")
        }
        let leading = coordinator.leader?.route ?? coordinator.routes.route(for: SessionSettings())
        try require(deviceRoute == coordinator.deviceRoute && deviceRoute == leading, "the device's route is wrong")
    }
}

extension SessionMixing {
    /// Whether other audio may continue beside it.
    var mixes: Bool { self == .mixing || self == .ducking }
}
