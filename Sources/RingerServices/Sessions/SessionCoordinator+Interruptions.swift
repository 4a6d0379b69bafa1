extension SessionCoordinator {
    /// Makes the session inactive, waiting for nothing.
    mutating func close(_ index: Int) {
        sessions[index].phase = .inactive
        sessions[index].causes = []
        sessions[index].mayResume = true
    }

    /// Ends what a session has by being active: its sound, and its being ducked.
    mutating func leave(_ index: Int, _ reason: StopReason, _ actions: inout [Action]) {
        stopSound(index, reason, &actions)
        guard sessions[index].isDucked else { return }
        sessions[index].isDucked = false
        actions.append(.unduck(sessions[index].id))
    }

    mutating func stopSound(_ index: Int, _ reason: StopReason, _ actions: inout [Action]) {
        guard sessions[index].isSounding else { return }
        sessions[index].isSounding = false
        soundingCount -= 1
        actions.append(.stopSound(sessions[index].id, reason))
    }

    private mutating func interrupt(_ index: Int, by cause: InterruptionCause, _ actions: inout [Action]) {
        leave(index, .interruption, &actions)
        sessions[index].phase = .interrupted
        sessions[index].mayResume = true
        sessions[index].causes.append(cause)
        actions.append(.interruptionBegan(sessions[index].id, by: cause))
        if sessions[index].settings.revert(.revertedByInterruption) {
            actions.append(.settingsChanged(sessions[index].id, sessions[index].settings))
        }
    }

    /// Interrupts those whom the active session at `index` interrupts, and has those that are interrupted already wait
    /// for it too where it would have interrupted them.
    mutating func interruptOthers(_ index: Int, includingSpeech: Bool, _ actions: inout [Action]) {
        let cause = InterruptionCause.session(sessions[index].id)
        let (mixing, priority) = (sessions[index].settings.mixing, sessions[index].priority)
        var interrupted: [Int] = []
        for other in sessions.indices where other != index && sessions[other].phase != .inactive {
            // When many resume, each one looks at all the others.
            let isInterrupted =
                includingSpeech
                ? interrupts(index, other, includingSpeech: true) : interrupts(mixing, priority, other)
            guard isInterrupted else { continue }
            if sessions[other].isActive {
                interrupted.append(other)
                interrupt(other, by: cause, &actions)
            } else if !sessions[other].causes.contains(cause) {
                sessions[other].causes.append(cause)
            }
        }
        // An override that reverted may have made one of them conflict with a session that it played beside.
        for other in interrupted { addCauses(to: other) }
    }

    /// Whether the session at `index`, were it activated now, would interrupt the one at `other`, were that active.
    private func interrupts(_ index: Int, _ other: Int, includingSpeech: Bool) -> Bool {
        let (new, active) = (sessions[index].settings, sessions[other].settings)
        guard includingSpeech else { return interrupts(new.mixing, sessions[index].priority, other) }
        let relation = SessionArbitration.Relation(sessions[index].priority, to: sessions[other].priority)
        return SessionArbitration.outcome(active: active, new: new, relation: relation) == .activeInterrupted
    }

    /// Whether a session that mixes like this and matters so much would interrupt the one at `other`, speech aside.
    private func interrupts(_ mixing: SessionMixing, _ priority: SessionPriority, _ other: Int) -> Bool {
        let relation = SessionArbitration.Relation(priority, to: sessions[other].priority)
        let active = sessions[other].settings.mixing
        return SessionArbitration.outcome(active: active, new: mixing, relation: relation) == .activeInterrupted
    }

    /// Has an interrupted session wait for every active one that would interrupt it, so that it never comes back only
    /// to be interrupted or refused. One that interrupts speech does so when it is activated, and not here.
    mutating func addCauses(to index: Int) {
        for other in sessions.indices where other != index && sessions[other].isActive {
            let cause = InterruptionCause.session(sessions[other].id)
            guard interrupts(other, index, includingSpeech: false), !sessions[index].causes.contains(cause) else {
                continue
            }
            sessions[index].causes.append(cause)
        }
    }

    /// Frees those that wait for `cause`. What becomes of those that wait for nothing else is settled later.
    mutating func withdraw(_ cause: InterruptionCause, mayResume: Bool) {
        for index in sessions.indices where sessions[index].isInterrupted {
            guard let place = sessions[index].causes.firstIndex(of: cause) else { continue }
            sessions[index].causes.remove(at: place)
            if !mayResume { sessions[index].mayResume = false }
        }
    }

    /// What ``SessionState/leads(_:)`` says of two sessions by their places, without copying them: whoever resumes many
    /// asks often.
    private func leads(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (sessions[one].priority, sessions[other].priority)
        return first == second ? sessions[one].activation > sessions[other].activation : first > second
    }

    mutating func beginOutside(_ interruption: OutsideInterruption, _ actions: inout [Action]) {
        guard !outside.contains(interruption) else { return }
        outside.append(interruption)
        let cause = InterruptionCause.outside(interruption)
        for index in sessions.indices {
            switch sessions[index].phase {
            case .active: interrupt(index, by: cause, &actions)
            case .interrupted: sessions[index].causes.append(cause)
            case .inactive: break
            }
        }
    }

    mutating func answerOutside(_ interruption: OutsideInterruption, _ actions: inout [Action]) {
        guard let place = outside.firstIndex(of: interruption) else { return }
        outside.remove(at: place)
        // It interrupted every session that was not inactive, and none was activated since: all of them are dropped,
        // and with them everything that one waited for in another.
        for index in sessions.indices where sessions[index].isInterrupted {
            close(index)
            actions.append(.interruptionDropped(sessions[index].id, .answered))
        }
    }

    /// Ends the interruptions that nothing holds up any more.
    mutating func resume(_ actions: inout [Action]) {
        while true {
            var next: Int?
            for index in sessions.indices where sessions[index].isInterrupted && sessions[index].causes.isEmpty {
                if sessions[index].mayResume {
                    if let best = next, leads(best, index) { continue }
                    next = index
                } else {
                    // It gives up its place, and those that waited for it need not.
                    next = index
                    break
                }
            }
            guard let next else { return }
            let id = sessions[next].id
            let shouldResume = sessions[next].mayResume
            close(next)
            actions.append(.interruptionEnded(id, shouldResume: shouldResume))
            if shouldResume {
                // It keeps the place in time that its activation gave it.
                sessions[next].phase = .active
                interruptOthers(next, includingSpeech: false, &actions)
            } else {
                withdraw(.session(id), mayResume: true)
            }
        }
    }
}
