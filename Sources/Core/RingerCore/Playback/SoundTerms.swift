import SessionRules

/// The terms of a sound: what kind it is for the policy, and what its session adds.
package struct SoundTerms: Sendable, Hashable {
    /// The kind of sound.
    package var request: SoundRequest
    /// Whether another session ducks the sound's.
    var isDucked = false
    /// The route of the sound's session; nil for the device's route.
    var route: AudioRoute?
    /// Whether the sound is an announcement, and how loud.
    var announcement: AnnouncementVolume?

    /// The session that it plays in; nil for none, or one of the device's own.
    package var session: SessionID?

    /// Whether the sound is played to its end if the process ends: only an output that is another process's can.
    package var outlivesProcess = false

    /// Whether the sound waits for a busy PCM; a user-interface sound never does.
    var waitsWhenBusy = true

    /// Whether a switch that this process cannot read silences nothing: the output obeys it.
    var passesUnreadableSwitch = false

    /// Whether the sound waits for a busy PCM. A key click that comes seconds late is worse than none.
    var waits: Bool { waitsWhenBusy && request != .systemSound(isUISound: true) }

    /// The route that the sound would take if it started now.
    func route(in state: DeviceState) -> AudioRoute {
        let route = route ?? state.route
        guard case .session(let category, let options, _, _, _, _) = request else { return route }
        return RingerPolicy.route(
            for: category, options: options, deviceRoute: route, hasReceiver: state.hasReceiver)
    }

    /// The sound as the rules see it.
    var judged: SoundRequest { announcement.map(request.announcing) ?? request }

    /// The factor for the policy's gain, 0 to 1: below 1 while another session ducks this one.
    func level(_ preferences: UserPreferences) -> Float { isDucked ? preferences.duckingGain : 1 }

    /// The policy's decision about the sound, with the gain reduced by ``level(_:)``.
    ///
    /// - Parameter playing: The route that the sound is playing on; nil for the route that it would take now.
    func decide(_ state: DeviceState, _ preferences: UserPreferences, on playing: AudioRoute? = nil) -> Decision {
        var state = state
        if let route = playing ?? route { state.route = route }
        if passesUnreadableSwitch { state.isSwitchUnreadable = false }
        // The policy moves a call from the speaker to the receiver. A sound that is playing on the speaker stays there.
        if playing == .speaker { state.hasReceiver = false }
        switch RingerPolicy.decide(judged, state: state, preferences: preferences) {
        case .play(let gain, let route, let vibrates, let reason):
            return .play(gain: gain * level(preferences), route: route, vibrates: vibrates, reason)
        case let decision:
            return decision
        }
    }
}
