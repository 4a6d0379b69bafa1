/// Under what terms a sound is played: what it is for the policy, and what its session adds to that.
struct SoundTerms: Sendable, Hashable {
    /// What the sound is.
    var request: SoundRequest
    /// A factor on the gain that the policy gives: below 1 while another session ducks this one's.
    var level: Float = 1
    /// Where the sound goes; nil for where the device's sound goes.
    var route: AudioRoute?

    /// What becomes of the sound now, at the gain at which it is heard.
    func decide(_ state: DeviceState, _ preferences: UserPreferences) -> Decision {
        var state = state
        if let route { state.route = route }
        switch RingerPolicy.decide(request, state: state, preferences: preferences) {
        case .play(let gain, let route, let vibrates, let reason):
            return .play(gain: gain * level, route: route, vibrates: vibrates, reason)
        case let decision:
            return decision
        }
    }
}
