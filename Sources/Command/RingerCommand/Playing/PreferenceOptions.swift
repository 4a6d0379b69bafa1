import ArgumentParser
import RingerCore

/// The user's preferences, as options of a command.
struct PreferenceOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Alerts that are heard vibrate as well.")
    var vibrateOnRing = true
    @Flag(inversion: .prefixedNo, help: "Alerts vibrate while the switch is at silent.")
    var vibrateOnSilent = true
    @Flag(inversion: .prefixedNo, help: "User-interface sounds are played.")
    var soundEffects = true
    @Option(help: "The volume of alerts and notifications, 0 to 1.")
    var alertVolume: Float = 1
    @Flag(help: "Alerts vibrate while a session records.")
    var hapticsWhileRecording = false
    @Flag(help: "Alerts and notifications are suppressed; critical ones are not.")
    var doNotDisturb = false
    @Option(
        help: ArgumentHelp(
            "The routes on which the switch silences sound, with commas between them, or none. (default: speaker,receiver)",
            valueName: "routes"),
        transform: { text in
            guard let routes = AudioRouteSet(names: text) else {
                throw ValidationError("name \(PreferenceName.routesSilencedBySwitch.valueDescription)")
            }
            return routes
        })
    var routesSilencedBySwitch: AudioRouteSet?

    @Option(help: "The position that counts while a switch exists and cannot be read.")
    var whenSwitchUnreadable = SwitchPosition.silent

    func validate() throws {
        guard alertVolume >= 0 && alertVolume <= 1 else {
            throw ValidationError("--alert-volume takes 0 to 1, not \(alertVolume).")
        }
    }

    /// The preferences together.
    var preferences: UserPreferences {
        UserPreferences(
            vibrateOnRing: vibrateOnRing, vibrateOnSilent: vibrateOnSilent, soundEffects: soundEffects,
            alertVolume: alertVolume, hapticsWhileRecording: hapticsWhileRecording, doNotDisturb: doNotDisturb,
            routesSilencedBySwitch: routesSilencedBySwitch ?? .builtIn, whenSwitchUnreadable: whenSwitchUnreadable)
    }
}

/// A preference of the user, as options and scripts name it.
enum PreferenceName: String, CaseIterable, Sendable {
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
    var valueDescription: String {
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
    init?(names text: String) {
        self = []
        if text == "none" { return }
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let route = AudioRoute(argument: String(name)) else { return nil }
            formUnion(AudioRouteSet(route))
        }
    }
}
