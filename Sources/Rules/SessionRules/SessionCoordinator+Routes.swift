import RingerPolicy

extension SessionCoordinator {
    /// Follows changed devices and settings: each session's route, sounds that pause because of it, and the device's route.
    mutating func settleRoutes(_ reason: RouteChangeReason, _ actions: inout [Action]) {
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
