/// Whether a sound is heard, silenced or felt, and why.
public enum Decision: Sendable, Hashable {
    /// It is heard at `gain`, 0 to 1, on `route`; the motor turns too where `vibrates` says so.
    case play(gain: Float, route: AudioRoute, vibrates: Bool, Reason)
    /// Neither sound nor motor.
    case silence(Reason)
    /// The motor alone.
    case vibrate(Reason)

    /// Why a sound is heard, or why not.
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The Ring/Silent switch is at ring.
        case switchAtRing
        /// There is no switch.
        case noSwitch
        /// There is a switch and its position is not known: ``UserPreferences/whenSwitchUnreadable`` decided.
        case switchUnreadable
        /// The category is one that the switch does not silence.
        case categoryIgnoresSwitch
        /// The route is one that the switch does not silence.
        case routeIgnoresSwitch
        /// The sound is critical.
        case critical
        /// A vibration was asked for, and nothing holds one back.
        case vibrationRequested
        /// The Ring/Silent switch is at silent, or at vibrate.
        case ringSilentSwitch
        /// The screen is locked.
        case screenLock
        /// The session's category does not play.
        case categoryDoesNotPlay
        /// An active session's category silences all playback.
        case sessionSilencesPlayback
        /// The session was interrupted.
        case interruption
        /// An active session of a higher priority does not let the sound's session be active.
        case sessionPriority
        /// The session's application is in the background, and its category does not play there.
        case background
        /// The user asked not to be disturbed.
        case doNotDisturb
        /// The user switched sound effects off.
        case soundEffectsOff
        /// The alert volume, or the notification's own, is 0.
        case volumeZero
    }

    /// Why.
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
