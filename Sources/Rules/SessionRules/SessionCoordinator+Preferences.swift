extension SessionCoordinator {
    /// The one with the highest priority decides, and among equals the newest; where it prefers nothing, the next one.
    mutating func settlePreferences(_ actions: inout [Action]) {
        var now = SessionPreferences()
        if let index = leaderIndex(where: { $0.preferences.sampleRate != 0 }) {
            now.sampleRate = sessions[index].preferences.sampleRate
        }
        if let index = leaderIndex(where: { $0.preferences.ioBufferDuration != 0 }) {
            now.ioBufferDuration = sessions[index].preferences.ioBufferDuration
        }
        guard now != preferences else { return }
        preferences = now
        actions.append(.preferencesChanged(now))
    }
}
