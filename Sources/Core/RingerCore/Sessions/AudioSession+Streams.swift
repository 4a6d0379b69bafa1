import SessionRules

// A stream that the session's client plays or records itself, such as a program's own PCM: the session decides what is heard
// of it.
extension AudioSession {
    /// What is heard of the session's streams.
    package enum Audibility: Sendable, Hashable {
        /// They are heard, at this gain; `level` is the factor in it by which others duck the session, 0 to 1.
        case heard(gain: Float, level: Float)
        /// They are silent.
        case silenced(Decision.Reason)
    }

    /// What is heard of the session's streams now. For an inactive session that is what would be heard if it were activated
    /// now, if `activating`; otherwise nothing is.
    package func audibility(activating: Bool) -> Audibility {
        var (coordinator, state, preferences) = service.runner.read {
            ($0.coordinator, service.publisher.state, service.player.preferences)
        }
        if activating, coordinator.session(id)?.phase == .inactive {
            for case .refused in coordinator.handle(.activate(id)) { return .silenced(.sessionPriority) }
        }
        guard let session = coordinator.session(id), session.isActive, session.route.output != nil,
            let decision = coordinator.decide(id, state: state, preferences: preferences)
        else { return .silenced(.interruption) }
        guard case .play(let gain, _, _, _) = decision else { return .silenced(decision.reason) }
        let level = session.isDucked ? preferences.duckingGain : 1
        return .heard(gain: gain * level, level: level)
    }

    /// How long a change of the level of ducking takes.
    package func duckingRamp(from old: Float, to new: Float) -> Duration {
        service.player.preferences.duckingRamp(from: old, to: new)
    }

    /// Activates the session for a stream. The hardware is not asked what it grants: the stream's own program opens it.
    ///
    /// - Parameter time: Since when the stream runs, if that began with a service before this one, in nanoseconds of
    ///   CLOCK_MONOTONIC: the session resumes then, and may be interrupted instead of active.
    /// - Returns: Why the activation was refused; nil if it was not.
    package func beginStream(since time: UInt64? = nil) -> SessionError? {
        let event =
            time.map { service.resumption(of: id, since: $0, evenIfActivated: true) } ?? service.activation(of: id)
        let refusal = service.runner.send { $0.request(event, asksHardware: false) }
        streamsGoOn()
        return refusal
    }

    /// Counts the session as playing while it is active: an interruption ends that.
    package func streamsGoOn() {
        guard let state, state.isActive, !state.isSounding, state.settings.category != .audioProcessing else { return }
        // Nothing is refused to an active session of a category that plays or records.
        _ = service.send(.sounding(id, true))
    }

    /// Deactivates the session after its last stream; others may resume.
    package func endStreams() {
        // Nothing is refused to a session that is there.
        _ = service.send(.deactivate(id, notifyOthers: true))
    }
}
