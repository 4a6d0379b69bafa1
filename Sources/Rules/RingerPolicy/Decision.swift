/// Whether a sound is heard, silenced or felt, and why.
public enum Decision: Sendable, Hashable {
    /// Heard at `gain`, 0 to 1, on `route`; if `vibrates`, the motor turns too.
    case play(gain: Float, route: AudioRoute, vibrates: Bool, Reason)
    /// Neither heard nor felt.
    case silence(Reason)
    /// Felt only.
    case vibrate(Reason)

    /// The reason of a decision.
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The Ring/Silent switch is at ring.
        case switchAtRing
        /// There is no switch, nor anything else that silences.
        case noSwitch
        /// There is a switch whose position is unknown: ``UserPreferences/whenSwitchUnreadable`` decided.
        case switchUnreadable
        /// The switch does not silence the category.
        case categoryIgnoresSwitch
        /// The switch does not silence the route.
        case routeIgnoresSwitch
        /// The sound is critical.
        case critical
        /// The sound is an alarm, which nothing silences while ``UserPreferences/alarmsIgnoreSilence`` is on.
        case alarm
        /// A vibration was requested, which nothing suppresses.
        case vibrationRequested
        /// The Ring/Silent switch is at silent, or at vibrate.
        case ringSilentSwitch
        /// Software has set the device to silent, or to vibrate, while its switch is at ring.
        case softwareSilent
        /// It is quiet hours, and neither the switch nor software silences.
        case quietHours
        /// The screen is locked.
        case screenLock
        /// The session's category does not play.
        case categoryDoesNotPlay
        /// An active session's category silences all playback.
        case sessionSilencesPlayback
        /// The session was interrupted.
        case interruption
        /// An active session of a higher priority prevents the sound's session from being active.
        case sessionPriority
        /// The session's application is in the background, and its category does not play there.
        case background
        /// Do-not-disturb is on.
        case doNotDisturb
        /// The user switched sound effects off.
        case soundEffectsOff
        /// The volume of the sound's kind is 0, its own, or that of the quiet hours.
        case volumeZero
        /// A call is on: ``UserPreferences/alertsDuringCall`` decided.
        case call
    }

    /// The reason.
    public var reason: Reason {
        switch self {
        case .play(_, _, _, let reason), .silence(let reason), .vibrate(let reason): reason
        }
    }

    /// Whether the sound is heard.
    public var isHeard: Bool {
        if case .play = self { true } else { false }
    }

    /// Whether the motor turns.
    public var vibrates: Bool {
        switch self {
        case .play(_, _, let vibrates, _): vibrates
        case .vibrate: true
        case .silence: false
        }
    }
}

extension Decision: CustomStringConvertible {
    /// `play(switchAtRing, speaker, gain 1.0, vibrates)`, `silence(ringSilentSwitch)`, `vibrate(ringSilentSwitch)`.
    public var description: String {
        switch self {
        case .play(let gain, let route, let vibrates, let reason):
            "play(\(reason.rawValue), \(route.rawValue), gain \(gain)\(vibrates ? ", vibrates" : ""))"
        case .silence(let reason): "silence(\(reason.rawValue))"
        case .vibrate(let reason): "vibrate(\(reason.rawValue))"
        }
    }
}
