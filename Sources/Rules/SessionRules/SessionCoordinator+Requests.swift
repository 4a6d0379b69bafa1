import RingerPolicy

extension SessionCoordinator {
    /// Carries out `event` without its consequences for other sessions that ``settle(_:_:)`` works out.
    ///
    /// - Returns: Why routes may change.
    /// - Throws: Why a request is refused; nothing was changed then.
    mutating func take(_ event: Event, _ actions: inout [Action]) throws(SessionError) -> RouteChangeReason {
        let operation = event.operation
        switch event {
        case .make(let id, let client, let name, let priority):
            try make(id, client, name, priority)
        case .remove(let id):
            remove(try find(id, operation), &actions)
        case .setCategory(let id, let category, let options):
            let index = try find(id, operation)
            var settings = sessions[index].settings
            do throws(SessionError) { try settings.setCategory(category, options: options) } catch {
                throw error.of(id)
            }
            try set(settings, at: index, operation, &actions)
            sessions[index].isCategorySet = true
            return .categoryChange
        case .setOptions(let id, let options):
            let index = try find(id, operation)
            var settings = sessions[index].settings
            do throws(SessionError) {
                try settings.setCategory(settings.category, options: options)
            } catch { throw error.of(id) }
            try set(settings, at: index, operation, &actions)
        case .setSpoken(let id, let isSpoken):
            let index = try find(id, operation)
            var settings = sessions[index].settings
            settings.isSpoken = isSpoken
            try set(settings, at: index, operation, &actions)
        case .setInBackground(let id, let isInBackground):
            sessions[try find(id, operation)].isInBackground = isInBackground
        case .setUsesHardwareCodec(let id, let usesHardwareCodec):
            let index = try find(id, operation)
            if usesHardwareCodec && sessions[index].isActive { try checkCategory(index, operation) }
            sessions[index].usesHardwareCodec = usesHardwareCodec
        case .setOverride(let id, let override, let isOn):
            let index = try find(id, operation)
            var settings = sessions[index].settings
            do throws(SessionError) { try settings.setOverride(override, isOn) } catch { throw error.of(id) }
            try set(settings, at: index, operation, &actions)
        case .setPreferences(let id, let preferences):
            sessions[try find(id, operation)].preferences = preferences
        case .activate(let id, let time):
            try activate(find(id, operation), at: time, &actions)
        case .resume(let id, let time, let evenIfActivated):
            try resume(find(id, operation), since: time, evenIfActivated, &actions)
        case .deactivate(let id, let notifyOthers):
            deactivate(try find(id, operation), notifyOthers, .deactivation, .deactivated, &actions)
        case .sounding(let id, let isSounding):
            try setSounding(find(id, operation), isSounding)
        case .clientDied(let client):
            for index in sessions.indices.reversed() where sessions[index].client == client {
                remove(index, &actions)
            }
        case .outsideBegan(let interruption):
            beginOutside(interruption, &actions)
        case .outsideAnswered(let interruption):
            answerOutside(interruption, &actions)
        case .outsideEnded(let interruption, let shouldResume):
            guard let index = outside.firstIndex(of: interruption) else { break }
            outside.remove(at: index)
            withdraw(.outside(interruption), mayResume: shouldResume)
        case .route(let event):
            return takeRoute(event, &actions)
        case .inputAvailable(let isAvailable):
            guard isAvailable != routes.isInputAvailable else { break }
            // Overrides of the output do not revert: no output came or went.
            return routes.handle(.input(isAvailable: isAvailable)) ?? .unknown
        case .outsideAudio(let isPlaying):
            isOutsideAudioPlaying = isPlaying
        case .judged(let id, let verdict):
            if let index = index(of: id) { apply(verdict, to: index, &actions) }
        }
        // Any other change of a route is due to an option or an override, set or reverted.
        return .override
    }

    private func find(_ id: SessionID, _ operation: String) throws(SessionError) -> Int {
        guard let index = index(of: id) else {
            throw SessionError(.notInitialized, operation, session: id, detail: "there is no such session")
        }
        return index
    }

    private mutating func make(
        _ id: SessionID, _ client: SessionClientID, _ name: String, _ priority: SessionPriority
    ) throws(SessionError) {
        guard id.rawValue != 0, id.rawValue != .max else {
            throw SessionError(.badParameter, "make the session", session: id, detail: "no session has this number")
        }
        guard index(of: id) == nil else {
            throw SessionError(.alreadyInitialized, "make the session", session: id, detail: "it was made already")
        }
        insert(
            SessionState(
                id: id, client: client, name: name, priority: priority, route: routes.route(for: SessionSettings())))
    }

    private mutating func setSounding(_ index: Int, _ isSounding: Bool) throws(SessionError) {
        guard sessions[index].settings.category != .audioProcessing || !isSounding else {
            throw SessionError(
                .incompatibleCategory, "play", session: sessions[index].id,
                detail: "audioProcessing neither plays nor records")
        }
        guard sessions[index].isActive || !isSounding else {
            throw SessionError(.notActive, "play", session: sessions[index].id, detail: "the session is not active")
        }
        guard sessions[index].isSounding != isSounding else { return }
        sessions[index].isSounding = isSounding
        soundingCount += isSounding ? 1 : -1
    }

    /// Gives the session new settings. For an active one this is like being activated with them, but without an input that
    /// their category needs it stays active and has no suitable route.
    private mutating func set(
        _ settings: SessionSettings, at index: Int, _ operation: String, _ actions: inout [Action]
    ) throws(SessionError) {
        guard settings != sessions[index].settings else { return }
        let interrupts =
            settings.mixing != sessions[index].settings.mixing
            || settings.interruptsSpeech != sessions[index].settings.interruptsSpeech
        if sessions[index].isActive && interrupts {
            try checkRoom(settings, index, .incompatibleCategory, operation)
        }
        sessions[index].settings = settings
        actions.append(.settingsChanged(sessions[index].id, settings))
        switch sessions[index].phase {
        case .active:
            // For an interruption it counts as activated now.
            if interrupts && interruptOthers(index, includingSpeech: true, &actions) { renew(index, at: nil) }
        case .interrupted: addCauses(to: index)
        case .inactive: break
        }
    }

    private mutating func activate(_ index: Int, at time: UInt64?, _ actions: inout [Action]) throws(SessionError) {
        let session = sessions[index]
        if session.isActive { return }
        guard outside.isEmpty else {
            throw SessionError(
                .notActive, "activate", session: session.id, detail: "an interruption from outside is under way")
        }
        try checkHardware(index)
        try checkRoom(session.settings, index, .notActive, "activate")
        if session.isInterrupted {
            close(index)
            actions.append(.interruptionDropped(session.id, .reactivated))
        }
        sessions[index].phase = .active
        renew(index, at: time)
        _ = interruptOthers(index, includingSpeech: true, &actions)
        actions.append(.activated(session.id))
    }

    /// Makes the session the newest.
    private mutating func renew(_ index: Int, at time: UInt64?) {
        lastActivation = max(lastActivation + 1, time ?? 0)
        sessions[index].activation = lastActivation
        sessions[index].isResumed = false
    }

    /// Makes an inactive session as old as another arbiter knew it, or one that has resumed already, or was activated here,
    /// older.
    private mutating func resume(
        _ index: Int, since time: UInt64, _ evenIfActivated: Bool, _ actions: inout [Action]
    ) throws(SessionError) {
        let session = sessions[index]
        if session.phase == .inactive {
            try checkHardware(index)
            sessions[index].phase = .active
            actions.append(.activated(session.id))
        } else if !(session.isResumed || evenIfActivated) || time >= session.activation {
            return
        }
        // Of two of one time the later to come is the newer.
        var activation = min(time, UInt64(Int64.max))
        while sessions.contains(where: { $0.activation == activation }) { activation += 1 }
        lastActivation = max(lastActivation, activation)
        sessions[index].activation = activation
        sessions[index].isResumed = true
        arrangeByActivation(&actions)
    }

    private func checkHardware(_ index: Int) throws(SessionError) {
        let session = sessions[index]
        if session.usesHardwareCodec { try checkCategory(index, "activate") }
        guard session.settings.category.needsInput && routes.input(for: session.settings) == nil else { return }
        throw SessionError(.noHardware, "activate", session: session.id, detail: "there is no audio input")
    }

    private func checkCategory(_ index: Int, _ operation: String) throws(SessionError) {
        if sessions[index].isCategorySet { return }
        throw SessionError(
            .noCategorySet, operation, session: sessions[index].id, detail: "a hardware codec needs a category")
    }

    /// Checks that no active session forbids the session at `index` to be active with `settings`.
    private func checkRoom(
        _ settings: SessionSettings, _ index: Int, _ code: SessionError.Code, _ operation: String
    ) throws(SessionError) {
        if isArbitratedElsewhere { return }
        // By index: copying every session to look at it would cost more than the check.
        for place in sessions.indices where sessions[place].isActive && place != index {
            let other = sessions[place]
            if other.isOwn && sessions[index].isOwn { continue }
            let relation = SessionArbitration.Relation(sessions[index].priority, to: other.priority)
            guard
                SessionArbitration.outcome(active: other.settings, new: settings, relation: relation) == .refused
            else { continue }
            throw SessionError(
                code, operation, session: sessions[index].id,
                detail: "session \(other.id.rawValue) \(other.name) matters more")
        }
    }

    /// Makes the session inactive, and removes it from the causes of the sessions that it interrupted.
    mutating func deactivate(
        _ index: Int, _ notifyOthers: Bool, _ stop: SessionStopReason, _ drop: InterruptionDropReason,
        _ actions: inout [Action]
    ) {
        let session = sessions[index]
        guard session.phase != .inactive else { return }
        leave(index, stop, &actions)
        close(index)
        if session.isInterrupted { actions.append(.interruptionDropped(session.id, drop)) }
        actions.append(.deactivated(session.id))
        withdraw(.session(session.id), mayResume: notifyOthers)
    }

    private mutating func remove(_ index: Int, _ actions: inout [Action]) {
        deactivate(index, true, .removal, .removed, &actions)
        sessions.remove(at: index)
    }

    private mutating func takeRoute(_ event: RouteModel.Event, _ actions: inout [Action]) -> RouteChangeReason {
        guard let reason = routes.handle(event) else { return .unknown }
        guard reason != .wakeFromSleep else { return reason }
        for index in sessions.indices {
            guard sessions[index].settings.revert(.revertedByRouteChange) else { continue }
            actions.append(.settingsChanged(sessions[index].id, sessions[index].settings))
        }
        return reason
    }
}
