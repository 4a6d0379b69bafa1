/// What sounds are decided by: the device's state, and what the user chose.
struct PlayerRules: Sendable, Hashable {
    var state = DeviceState()
    var preferences = UserPreferences()

    /// What becomes of `request` under them.
    func decide(_ request: SoundRequest) -> Decision {
        RingerPolicy.decide(request, state: state, preferences: preferences)
    }
}
