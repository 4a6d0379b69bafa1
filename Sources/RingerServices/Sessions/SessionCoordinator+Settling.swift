extension SessionCoordinator {
    /// Settles what follows from a change: who resumes, who is ducked, where sound goes, what it means for others.
    mutating func settle(_ reason: RouteChangeReason, _ actions: inout [Action]) {
        resume(&actions)
        settleActivity(&actions)
        settleDucking(&actions)
        settleRoutes(reason, &actions)
        settlePreferences(&actions)
    }

    private mutating func settlePreferences(_ actions: inout [Action]) {
        var now = SessionPreferences()
        if let index = leaderIndex(where: { $0.preferences.sampleRate != 0 }) {
            now.sampleRate = sessions[index].preferences.sampleRate
        }
        if let index = leaderIndex(where: { $0.preferences.ioBufferDuration != 0 }) {
            now.ioBufferDuration = sessions[index].preferences.ioBufferDuration
        }
        guard now != preferences else { return }
        preferences = now
        actions.append(.preferencesChanged(now))
    }

    private mutating func settleActivity(_ actions: inout [Action]) {
        var now: SessionActivity = outside.isEmpty ? [] : .interrupted
        for session in sessions where session.isActive {
            if !session.settings.category.plays { now.insert(.silencesPlayback) }
            if session.settings.category.records { now.insert(.records) }
        }
        guard now != activity else { return }
        activity = now
        actions.append(.activityChanged(now))
    }

    /// The most important of those that duck, and among equals the newest, takes down every other that does not
    /// matter more. The others that duck are among those. While nothing is heard, nothing is ducked.
    private mutating func settleDucking(_ actions: inout [Action]) {
        let ducker =
            activity.contains(.silencesPlayback) ? nil : leaderIndex { $0.settings.mixing == .ducking }
        for index in sessions.indices {
            var isDucked = false
            if let ducker, sessions[index].isActive, index != ducker {
                isDucked = sessions[index].priority <= sessions[ducker].priority
            }
            guard isDucked != sessions[index].isDucked else { continue }
            sessions[index].isDucked = isDucked
            actions.append(isDucked ? .duck(sessions[index].id) : .unduck(sessions[index].id))
        }
    }

    private mutating func settleRoutes(_ reason: RouteChangeReason, _ actions: inout [Action]) {
        let leader = leaderIndex { _ in true }
        var leaderMoved = false
        for index in sessions.indices {
            let old = sessions[index].route
            let new = routes.route(for: sessions[index].settings)
            let wakes = reason == .wakeFromSleep && sessions[index].isActive
            guard new != old || wakes else { continue }
            if index == leader { leaderMoved = true }
            sessions[index].route = new
            if pauses(from: old, to: new, reason) { stopSound(index, .oldDeviceUnavailable, &actions) }
            actions.append(.routeChanged(sessions[index].id, change(reason, old, new)))
        }
        let old = deviceRoute
        let new = leader.map { sessions[$0].route } ?? routes.route(for: SessionSettings())
        guard new != old || reason == .wakeFromSleep else { return }
        deviceRoute = new
        // Where no session's own setting moved it, another session, with its category, took the lead.
        let why = reason == .override && !leaderMoved ? .categoryChange : reason
        actions.append(.deviceRouteChanged(change(why, old, new)))
    }

    private func change(_ reason: RouteChangeReason, _ old: SessionRoute, _ new: SessionRoute) -> RouteChange {
        RouteChange(new.output == nil ? .noSuitableRouteForCategory : reason, from: old, to: new)
    }

    /// Whether what played on `old` pauses: it was pulled out, and nobody expects the speaker to go on with it. A
    /// headset whose microphone is gone is still on the listener's head.
    private func pauses(from old: SessionRoute, to new: SessionRoute, _ reason: RouteChangeReason) -> Bool {
        guard reason == .oldDeviceUnavailable, let output = old.output, output != new.output else { return false }
        if output == .headset && new.output == .headphone { return false }
        return !routes.present.contains(output)
    }
}
