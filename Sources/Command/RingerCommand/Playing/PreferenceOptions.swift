import ArgumentParser
import RingerCore
import RingerTerminal

/// The user's preferences, as options of a command.
struct PreferenceOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Whether alerts that are heard vibrate as well.")
    var vibrateOnRing = true
    @Flag(inversion: .prefixedNo, help: "Whether alerts vibrate while the switch is at silent.")
    var vibrateOnSilent = true
    @Flag(inversion: .prefixedNo, help: "Whether user-interface sounds are played.")
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
