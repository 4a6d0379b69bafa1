/// Under what terms a sound is played: what it is for the policy, and what its session adds to that.
struct SoundTerms: Sendable, Hashable {
    /// What the sound is.
    var request: SoundRequest
    /// A factor on the gain that the policy gives: below 1 while another session ducks this one's.
    var level: Float = 1
    /// The route of the sound's session; nil for the device's route.
    var route: AudioRoute?

    /// Whether the sound waits for a busy PCM; one of the user interface never does.
    var waitsWhenBusy = true

    /// Whether the sound waits for a busy PCM. A click that comes seconds after the key is worse than none.
    var waits: Bool { waitsWhenBusy && request != .systemSound(isUISound: true) }

    /// The route that the sound would take if it began now.
    func route(in state: DeviceState) -> AudioRoute {
        let route = route ?? state.route
        guard case .session(let category, let options, _, _) = request else { return route }
        return RingerPolicy.route(
            for: category, options: options, deviceRoute: route, hasReceiver: state.hasReceiver)
    }

    /// What the policy decides about the sound, with the gain that its session leaves it.
    ///
    /// - Parameters:
    ///   - state: The device's state.
    ///   - preferences: What the user chose.
    ///   - playing: The route that the sound plays on already; nil for the one that it would take now.
    func decide(_ state: DeviceState, _ preferences: UserPreferences, on playing: AudioRoute? = nil) -> Decision {
        var state = state
        if let route = playing ?? route { state.route = route }
        // The policy moves a call from the speaker to the receiver. A sound that plays on the speaker stays there.
        if playing == .speaker { state.hasReceiver = false }
        switch RingerPolicy.decide(request, state: state, preferences: preferences) {
        case .play(let gain, let route, let vibrates, let reason):
            return .play(gain: gain * level, route: route, vibrates: vibrates, reason)
        case let decision:
            return decision
        }
    }
}
