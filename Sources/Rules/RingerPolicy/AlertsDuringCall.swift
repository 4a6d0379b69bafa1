/// What becomes of alerts and notification sounds while a call is on (``SessionActivity/call``). It never makes one louder than
/// the switch and the other preferences leave it, and concerns neither critical ones nor alarms.
public enum AlertsDuringCall: String, Sendable, Hashable, CaseIterable {
    /// As ``felt`` if the call's session has the priority of a call, and heard otherwise.
    case automatic
    /// Heard, as without a call.
    case heard
    /// Heard at -20 dB.
    case quiet
    /// Felt instead of heard, though the call records: nothing on a device without a motor. At vibrate and silent it is as without
    /// a call.
    case felt
    /// Neither heard nor felt.
    case none

    /// The factor of ``quiet`` on the samples: -20 dB.
    static let quietGain: Float = 0.1
}

/// What a call leaves of the decision on an alert: never more than there is.
func duringCall(_ decision: Decision, _ state: DeviceState, _ preferences: UserPreferences) -> Decision {
    guard state.sessions.contains(.call) else { return decision }
    var choice = preferences.alertsDuringCall
    if choice == .automatic { choice = state.sessions.contains(.callByPriority) ? .felt : .heard }
    switch (decision, choice) {
    case (.play(let gain, let route, let vibrates, _), .quiet):
        return .play(gain: gain * AlertsDuringCall.quietGain, route: route, vibrates: vibrates, .call)
    // The call records, and that is no reason here to miss an alert.
    case (.play, .felt): return .vibrate(.call)
    case (.play, .none), (.vibrate, .none): return .silence(.call)
    default: return decision
    }
}
