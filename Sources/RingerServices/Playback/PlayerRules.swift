/// The inputs of a decision: the device's state and the user's preferences.
struct PlayerRules: Sendable, Hashable {
    var state = DeviceState()
    var preferences = UserPreferences()

    /// The policy's decision about `request`.
    func decide(_ request: SoundRequest) -> Decision {
        RingerPolicy.decide(request, state: state, preferences: preferences)
    }
}
