import RingerPolicy

extension SessionCoordinator {
    /// Makes the session inactive, and forgets its interruptions.
    mutating func close(_ index: Int) {
        sessions[index].phase = .inactive
        sessions[index].causes = []
        sessions[index].mayResume = true
    }

    /// Ends the sound of a session that is no longer active, and its being ducked.
    mutating func leave(_ index: Int, _ reason: SessionStopReason, _ actions: inout [Action]) {
        stopSound(index, reason, &actions)
        guard sessions[index].isDucked else { return }
        sessions[index].isDucked = false
        actions.append(.unduck(sessions[index].id))
    }

    mutating func stopSound(_ index: Int, _ reason: SessionStopReason, _ actions: inout [Action]) {
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

    /// Interrupts sessions as if those that have resumed, and all others beside them, had been activated in the order of their
    /// times. ``endInterruptions(_:)`` ends the interruptions that have no cause left.
    mutating func arrangeByActivation(_ actions: inout [Action]) {
        let places = sessions.indices.filter { sessions[$0].phase != .inactive }
            .sorted { sessions[$0].activation < sessions[$1].activation }
        // By the place of an interrupted session, the places of those that interrupt it.
        var interrupting: [Int: [Int]] = [:]
        for (count, new) in places.enumerated() {
            let older = places[..<count]
            // What has been between two that have not resumed stays.
            let (arranged, settled) =
                sessions[new].isResumed
                ? (Array(older), [])
                : (older.filter { sessions[$0].isResumed }, older.filter { !sessions[$0].isResumed })
            for old in settled {
                if awaits(old, new) { interrupting[old, default: []].append(new) }
                if awaits(new, old) { interrupting[new, default: []].append(old) }
            }
            // One that waits for an older one interrupts none: no two wait for each other.
            if settled.contains(where: { awaits(new, $0) }) { continue }
            let refusing = arranged.filter {
                interrupting[$0] == nil && outcome(active: $0, new: new, includingSpeech: true) == .refused
            }
            // It waits instead.
            if !refusing.isEmpty {
                interrupting[new, default: []] += refusing
                continue
            }
            for old in arranged where outcome(active: old, new: new, includingSpeech: true) == .activeInterrupted {
                interrupting[old, default: []].append(new)
            }
        }
        for place in places {
            let causes =
                outside.map { InterruptionCause.outside($0) }
                + interrupting[place, default: []].map { .session(sessions[$0].id) }
            if sessions[place].isActive, let cause = causes.first { interrupt(place, by: cause, &actions) }
            sessions[place].causes = causes
        }
        for place in places where sessions[place].isInterrupted { addCauses(to: place) }
    }

    private func awaits(_ place: Int, _ other: Int) -> Bool {
        sessions[place].causes.contains(.session(sessions[other].id))
    }

    /// Carries out what the service decided about the session at `index`.
    mutating func apply(_ verdict: SessionVerdict, to index: Int, _ actions: inout [Action]) {
        switch verdict {
        case .interrupted:
            if sessions[index].isActive { interrupt(index, by: .service, &actions) }
        case .interruptionEnded(let shouldResume):
            guard sessions[index].isInterrupted else { return }
            sessions[index].causes.removeAll { $0 == .service }
            if !shouldResume { sessions[index].mayResume = false }
        // Nothing changes here: settling has what waits for the session ask for it again.
        case .refusalEnded: break
        case .ducked(let isDucked):
            guard sessions[index].isDucked != isDucked else { return }
            sessions[index].isDucked = isDucked
            actions.append(isDucked ? .duck(sessions[index].id) : .unduck(sessions[index].id))
        case .otherAudio(let isPlaying):
            sessions[index].isOtherAudioPlaying = isPlaying
        }
    }

    /// Interrupts the sessions that the active session at `index` interrupts, and adds it to the causes of interrupted
    /// sessions that it would have interrupted.
    ///
    /// - Returns: Whether there are any.
    mutating func interruptOthers(_ index: Int, includingSpeech: Bool, _ actions: inout [Action]) -> Bool {
        let cause = InterruptionCause.session(sessions[index].id)
        var interrupted: [Int] = []
        var isAny = false
        for other in sessions.indices where other != index && sessions[other].phase != .inactive {
            guard outcome(active: other, new: index, includingSpeech: includingSpeech) == .activeInterrupted else {
                continue
            }
            isAny = true
            if sessions[other].isActive {
                interrupted.append(other)
                interrupt(other, by: cause, &actions)
            } else if !sessions[other].causes.contains(cause) {
                sessions[other].causes.append(cause)
            }
        }
        // An override that reverted may make one of them conflict with a session that it played beside.
        for other in interrupted { addCauses(to: other) }
        return isAny
    }

    /// The outcome for the sessions at `active` and `new`, were the second activated while the first is active.
    func outcome(active: Int, new: Int, includingSpeech: Bool) -> SessionArbitration.Outcome {
        // The device's own sessions mix with each other, whatever their categories.
        if isArbitratedElsewhere || sessions[active].isOwn && sessions[new].isOwn { return .bothPlay }
        return SessionArbitration.outcome(
            active: sessions[active].settings, new: sessions[new].settings,
            relation: SessionArbitration.Relation(sessions[new].priority, to: sessions[active].priority),
            includingSpeech: includingSpeech)
    }

    /// Adds every active session that would interrupt the interrupted one at `index` to its causes: it does not resume only
    /// to be interrupted or refused. A session that interrupts speech does so when it is activated, and not here.
    mutating func addCauses(to index: Int) {
        for other in sessions.indices where other != index && sessions[other].isActive {
            let cause = InterruptionCause.session(sessions[other].id)
            guard outcome(active: index, new: other, includingSpeech: false) == .activeInterrupted,
                !sessions[index].causes.contains(cause)
            else { continue }
            sessions[index].causes.append(cause)
        }
    }

    /// Removes `cause` from every interrupted session. ``endInterruptions(_:)`` ends the interruptions that have no cause left.
    mutating func withdraw(_ cause: InterruptionCause, mayResume: Bool) {
        for index in sessions.indices where sessions[index].isInterrupted {
            guard let place = sessions[index].causes.firstIndex(of: cause) else { continue }
            sessions[index].causes.remove(at: place)
            if !mayResume { sessions[index].mayResume = false }
        }
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
        // It interrupted every session that was not inactive, and none was activated since: all of them become inactive.
        for index in sessions.indices where sessions[index].isInterrupted {
            close(index)
            actions.append(.interruptionDropped(sessions[index].id, .answered))
        }
    }

    /// Ends the interruptions that have no cause left.
    mutating func endInterruptions(_ actions: inout [Action]) {
        while true {
            var next: Int?
            for index in sessions.indices where sessions[index].isInterrupted && sessions[index].causes.isEmpty {
                if sessions[index].mayResume {
                    if let best = next, leads(best, index) { continue }
                    next = index
                } else {
                    // It becomes inactive, and sessions that it interrupted may be free too.
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
                // It keeps the age that its activation gave it.
                sessions[next].phase = .active
                _ = interruptOthers(next, includingSpeech: false, &actions)
            } else {
                withdraw(.session(id), mayResume: true)
            }
        }
    }
}
