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
            actions.append(.routeChanged(sessions[index].id, change(reason, old, new, sessions[index].settings)))
        }
        let old = deviceRoute
        let settings = leader.map { sessions[$0].settings } ?? SessionSettings()
        let new = leader.map { sessions[$0].route } ?? routes.route(for: settings)
        guard new != old || reason == .wakeFromSleep else { return }
        deviceRoute = new
        // If no session changed its own setting, another session, with its category, leads now.
        let why = reason == .override && !leaderMoved ? .categoryChange : reason
        actions.append(.deviceRouteChanged(change(why, old, new, settings)))
    }

    /// The change of a session of `settings`. It has no suitable route without an output, and, once, when it loses an input
    /// that its category needs, or gets such a category without an input.
    private func change(
        _ reason: RouteChangeReason, _ old: SessionRoute, _ new: SessionRoute, _ settings: SessionSettings
    ) -> RouteChange {
        let isInputMissing =
            settings.category.needsInput && new.input == nil && (old.input != nil || reason == .categoryChange)
        return RouteChange(
            new.output == nil || isInputMissing ? .noSuitableRouteForCategory : reason, from: old, to: new)
    }

    /// Whether sounds that played on `old` pause: it was pulled out, and the speaker must not go on with them. A headset
    /// whose microphone is gone is still on the listener's head.
    private func pauses(from old: SessionRoute, to new: SessionRoute, _ reason: RouteChangeReason) -> Bool {
        guard reason == .oldDeviceUnavailable, let output = old.output, output != new.output else { return false }
        if output == .headset && new.output == .headphone { return false }
        return !routes.present.contains(output)
    }
}
