import RingerPolicy

extension SessionCoordinator {
    /// Works out the consequences of a change: which sessions resume, which are ducked, the routes, the activity.
    mutating func settle(_ reason: RouteChangeReason, _ actions: inout [Action]) {
        endInterruptions(&actions)
        settleActivity(&actions)
        settleDucking(&actions)
        settleRoutes(reason, &actions)
        settlePreferences(&actions)
    }

    private mutating func settleActivity(_ actions: inout [Action]) {
        var now: SessionActivity = outside.isEmpty ? [] : .interrupted
        for session in sessions where session.isActive {
            if session.settings.mixing == .silencing { now.insert(.silencesPlayback) }
            if session.settings.category.records { now.insert(.records) }
            guard session.settings.category == .playAndRecord else { continue }
            if session.priority >= .call {
                now.formUnion([.call, .callByPriority])
            } else if session.settings.mixing != .mixing {
                now.insert(.call)
            }
        }
        guard now != activity else { return }
        activity = now
        actions.append(.activityChanged(now))
    }

    /// Of the sessions that duck, the one with the highest priority, and among equals the newest, decides: any session that
    /// another one ducks, that one ducks too. While playback is silenced, nothing is ducked.
    private mutating func settleDucking(_ actions: inout [Action]) {
        if isArbitratedElsewhere { return }
        let ducker =
            activity.contains(.silencesPlayback) ? nil : leaderIndex { $0.settings.mixing == .ducking }
        for index in sessions.indices {
            let isDucked = ducker.map { sessions[index].isActive && ducks($0, index) } ?? false
            guard isDucked != sessions[index].isDucked else { continue }
            sessions[index].isDucked = isDucked
            actions.append(isDucked ? .duck(sessions[index].id) : .unduck(sessions[index].id))
        }
    }

    /// Whether the active session at `ducker` ducks the active one at `other`, as the tables say for the order in which they
    /// were activated.
    private func ducks(_ ducker: Int, _ other: Int) -> Bool {
        if ducker == other { return false }
        return sessions[ducker].activation > sessions[other].activation
            ? outcome(active: other, new: ducker, includingSpeech: false) == .activeDucked
            : outcome(active: ducker, new: other, includingSpeech: false) == .newDucked
    }
}
