import RingerCore

/// A preference of the user, as options and scripts name it.
package enum PreferenceName: String, CaseIterable, Sendable {
    case vibrateOnRing = "vibrate-on-ring"
    case vibrateOnSilent = "vibrate-on-silent"
    case soundEffects = "sound-effects"
    case alertVolume = "alert-volume"
    case hapticsWhileRecording = "haptics-while-recording"
    case doNotDisturb = "do-not-disturb"
    case routesSilencedBySwitch = "routes-silenced-by-switch"
    case whenSwitchUnreadable = "when-switch-unreadable"

    /// All names, for people.
    static let list = allCases.map(\.rawValue).joined(separator: ", ")

    private var flag: WritableKeyPath<UserPreferences, Bool>? {
        switch self {
        case .vibrateOnRing: \.vibrateOnRing
        case .vibrateOnSilent: \.vibrateOnSilent
        case .soundEffects: \.soundEffects
        case .hapticsWhileRecording: \.hapticsWhileRecording
        case .doNotDisturb: \.doNotDisturb
        case .alertVolume, .routesSilencedBySwitch, .whenSwitchUnreadable: nil
        }
    }

    /// The values of the preference, in words.
    package var valueDescription: String {
        switch self {
        case .alertVolume: "a number from 0 to 1"
        case .routesSilencedBySwitch:
            "routes with commas between them (\(AudioRoute.allCases.map(\.rawValue).joined(separator: ", "))), or none"
        case .whenSwitchUnreadable: SwitchPosition.allCases.map(\.rawValue).joined(separator: ", ")
        default: "\"on\" or \"off\""
        }
    }

    /// Sets the preference to the value in `text`; false if it is not a value of the preference.
    func set(_ text: String, in preferences: inout UserPreferences) -> Bool {
        switch self {
        case .alertVolume:
            guard let volume = Float(text), volume >= 0, volume <= 1 else { return false }
            preferences.alertVolume = volume
        case .routesSilencedBySwitch:
            guard let routes = AudioRouteSet(names: text) else { return false }
            preferences.routesSilencedBySwitch = routes
        case .whenSwitchUnreadable:
            guard let position = SwitchPosition(argument: text) else { return false }
            preferences.whenSwitchUnreadable = position
        default:
            guard let flag, text == "on" || text == "off" else { return false }
            preferences[keyPath: flag] = text == "on"
        }
        return true
    }
}

extension AudioRouteSet {
    /// The set of routes in `text`, with commas between them; empty for "none"; nil if a name is unknown.
    package init?(names text: String) {
        self = []
        if text == "none" { return }
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let route = AudioRoute(argument: String(name)) else { return nil }
            formUnion(AudioRouteSet(route))
        }
    }
}
