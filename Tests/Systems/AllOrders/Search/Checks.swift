@testable import RingerCore

extension World {
    /// What is wrong with the world now; nil if nothing is.
    func broken() -> StaticString? {
        if let fault { return fault }
        for voice in output.voices where voice.hasBegun && voice.gate.isOpen {
            if !mayBeHeard(voice.origin) { return "a sound is audible while the rules forbid it" }
        }
        if motor.wasAskedTwice { return "the motor is asked while a question is unanswered" }
        if let since = motor.turnsSince {
            if clock.now - since > Self.longestOnTime, !motor.isStuck { return "the motor turns longer than its limit" }
            if let vibrationEnd, begun[Request.alert.rawValue] + begun[Request.alarm.rawValue] == 0,
                clock.now > vibrationEnd, !motor.isStuck
            {
                return "the motor turns longer than its pattern"
            }
            if vibrator.isOff { return "the core holds the motor for off while it turns" }
        }
        return isAtRest && interruption == nil ? stands() : nil
    }

    /// The rules, from what the search itself did and from what the sessions publish.
    private func mayBeHeard(_ origin: Origin) -> Bool {
        var state = publisher.state
        state.ringSilent = isSilent ? .silent : .ring
        state.keptPosition = isKeptSilent ? .silent : .ring
        state.quietHours = isQuiet ? .silent : nil
        func decide(_ request: SoundRequest) -> Bool {
            RingerPolicy.decide(request, state: state, preferences: player.preferences).isHeard
        }
        switch origin {
        case .first: return session.isActive && decide(.session(.soloAmbient))
        case .second: return decide(.systemSound(isUISound: false))
        case .announcement, .otherAnnouncement:
            return sessions.runner.read { $0.coordinator.session(announcing)?.isActive } == true
                && decide(.session(.playback))
        case .alert: return decide(.alert)
        case .alarm: return decide(.alarm)
        }
    }

    /// What is wrong in a world in which nothing goes on by itself and no interruption is left. Only time may bring more.
    private func stands() -> StaticString? {
        // A session that does not mix, and was activated later, interrupts the queue's.
        if announcements.count > 0, !session.isActive { return "the queue of announcements stands still" }
        for request in [Request.activation, .first, .second] where isOpen(request) {
            return "a request of a caller never ends"
        }
        let sequencer = sequencer
        let vibrations = [Request.vibration, .otherVibration, .lastVibration].count { isOpen($0) }
        let isCallRunning = services.underWay > 0
        if sequencer.running == nil, case .stopping = sequencer.phase {
            return "a vibration is being stopped, and nobody was asked to"
        }
        if vibrations > (sequencer.running == nil ? 0 : 1) { return "a vibration never ends" }
        if sequencer.running == nil, motor.turnsSince != nil, !motor.isStuck || clock.timers.isEmpty {
            return "the motor turns for no vibration"
        }
        if sequencer.running != nil, clock.timers.isEmpty { return "a vibration has no end" }
        guard isOpen(.alert) || isOpen(.alarm) else { return nil }
        if !alerts.isRunning, clock.timers.isEmpty { return "an alert that was stopped never ends" }
        if alerts.isRunning, !isCallRunning, clock.timers.isEmpty, mayBeHeard(alerting) {
            return "the alert is held though it may ring"
        }
        return nil
    }

    /// Lets everything go on by itself to its end, in one order: the interruption ends, the alert is stopped, time passes.
    /// What is wrong on the way; nil if nothing is. The world cannot be used afterwards.
    func runOut(_ note: (Step) -> Void = { _ in }) -> StaticString? {
        func take(_ step: Step) {
            note(step)
            self.take(step)
        }
        if interruption != nil { take(Step(.endInterruption)) }
        if let wrong = goOn(take) { return wrong }
        if session.isActive { take(Step(.deactivate)) }
        if let wrong = goOn(take) { return wrong }
        if alerts.isRunning { take(Step(.stopAlert)) }
        budget.motorStops = 1
        take(Step(.stopVibration))
        for _ in 0..<40 {
            if let wrong = goOn(take) { return wrong }
            if clock.timers.isEmpty { break }
            budget.times = 1
            take(Step(.time))
        }
        if !clock.timers.isEmpty { return "timers never end" }
        if motor.turnsSince != nil { return "the motor never ends" }
        for request in Request.allCases where isOpen(request) { return "a request never ends" }
        return answers == presses ? nil : "a press is never kept"
    }

    /// Takes the steps that go on by themselves until there are none.
    private func goOn(_ take: (Step) -> Void) -> StaticString? {
        for _ in 0..<1000 {
            var next: Step?
            ownSteps { next = next ?? $0 }
            guard let next else { return broken() }
            take(next)
            if let wrong = broken() { return wrong }
        }
        return "it goes on for ever"
    }
}
