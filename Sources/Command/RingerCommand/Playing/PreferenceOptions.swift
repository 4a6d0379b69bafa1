import ArgumentParser
import RingerCore
import RingerTerminal

/// The user's preferences, as options of a command.
struct PreferenceOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo, help: "Whether alerts that are heard vibrate as well. (default: --vibrate-on-ring)")
    var vibrateOnRing: Bool?
    @Flag(
        inversion: .prefixedNo,
        help: "Whether alerts vibrate while the switch is at silent. (default: --vibrate-on-silent)")
    var vibrateOnSilent: Bool?
    @Flag(inversion: .prefixedNo, help: "Whether user-interface sounds are played. (default: --sound-effects)")
    var soundEffects: Bool?
    @Option(help: "The volume of alerts and notifications, 0 to 1. (default: 1.0)")
    var alertVolume: Float?
    @Option(help: "The volume of alarms, 0 to 1; above 0 it is 0.1 at least. (default: 1.0)")
    var alarmVolume: Float?
    @Option(help: "The volume of announcements, 0 to 1. (default: 1.0)")
    var announcementVolume: Float?
    @Option(help: "The volume of media: sessions that are no call, 0 to 1. (default: 1.0)")
    var mediaVolume: Float?
    @Option(help: "The volume of calls: sessions of playAndRecord, 0 to 1. (default: 1.0)")
    var callVolume: Float?
    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether alarms are heard though a switch or do-not-disturb would silence them. (default: --alarms-ignore-silence)"
    )
    var alarmsIgnoreSilence: Bool?
    @Option(help: "How much more quietly ducked sounds are heard, 0 to 50 dB, where 50 is silence. (default: 14.0)")
    var duckingDepth: Float?
    @Option(
        help: ArgumentHelp(
            "How long ducked sounds take to fall, 0 to 2000 ms. (default: 20)", valueName: "milliseconds"))
    var duckingDown: Int?
    @Option(
        help: ArgumentHelp("How long they take to rise again, 0 to 2000 ms. (default: 20)", valueName: "milliseconds"))
    var duckingUp: Int?
    @Option(
        help: """
            What becomes of alerts and notifications during a call: with automatic they are felt, where the call's session has a \
            call's priority, and heard otherwise. (default: automatic)
            """)
    var alertsDuringCall: AlertsDuringCall?
    @Flag(help: "Alerts vibrate while a session records.")
    var hapticsWhileRecording = false
    @Flag(help: "Alerts and notifications are suppressed; critical ones are not.")
    var doNotDisturb = false
    @Option(
        help: ArgumentHelp(
            "The routes on which the switch silences sound, with commas between them, or none. (default: speaker,receiver)",
            valueName: "routes"),
        transform: { text in
            guard let routes = AudioRouteSet(argument: text) else {
                throw ValidationError("name \(AudioRouteSet.valueDescription)")
            }
            return routes
        })
    var routesSilencedBySwitch: AudioRouteSet?

    @Option(help: "The position that counts while a switch exists and cannot be read. (default: silent)")
    var whenSwitchUnreadable: SwitchPosition?

    @Option(
        help: ArgumentHelp(
            "When the device is quiet, such as \"daily 22:00-07:00\", or none. (default: none)", valueName: "spans"),
        transform: { text in if text == "none" { QuietHours() } else { try QuietHours(text) } })
    var quietHours: QuietHours?

    @Option(help: "What quiet hours ask for. (default: silent)")
    var quietHoursPosition: SwitchPosition?

    @Option(help: "The position that counts while there are quiet hours and the clock was never set. (default: silent)")
    var whenClockUnset: SwitchPosition?

    func validate() throws {
        let volumes = [
            ("alert", alertVolume), ("alarm", alarmVolume), ("announcement", announcementVolume),
            ("media", mediaVolume), ("call", callVolume),
        ]
        for (name, volume) in volumes {
            if let volume, !(0...1).contains(volume) {
                throw ValidationError("--\(name)-volume takes 0 to 1, not \(volume).")
            }
        }
        try validateDucking()
    }

    private func validateDucking() throws {
        if let duckingDepth, !UserPreferences.duckingDepths.contains(Double(duckingDepth)) {
            throw ValidationError("--ducking-depth takes 0 to 50, not \(duckingDepth).")
        }
        for (name, time) in [("down", duckingDown), ("up", duckingUp)] {
            if let time, !(0...UserPreferences.longestDucking.milliseconds).contains(Int64(time)) {
                throw ValidationError("--ducking-\(name) takes 0 to 2000, not \(time).")
            }
        }
    }

    /// The preferences together.
    var preferences: UserPreferences { preferences(insteadOf: UserPreferences()) }

    /// `others`, but for what the options say.
    func preferences(insteadOf others: UserPreferences) -> UserPreferences {
        UserPreferences(
            vibrateOnRing: vibrateOnRing ?? others.vibrateOnRing,
            vibrateOnSilent: vibrateOnSilent ?? others.vibrateOnSilent,
            soundEffects: soundEffects ?? others.soundEffects, alertVolume: alertVolume ?? others.alertVolume,
            hapticsWhileRecording: hapticsWhileRecording || others.hapticsWhileRecording,
            doNotDisturb: doNotDisturb || others.doNotDisturb,
            routesSilencedBySwitch: routesSilencedBySwitch ?? others.routesSilencedBySwitch,
            whenSwitchUnreadable: whenSwitchUnreadable ?? others.whenSwitchUnreadable,
            quietHours: quietHours ?? others.quietHours,
            quietHoursPosition: quietHoursPosition ?? others.quietHoursPosition,
            whenClockUnset: whenClockUnset ?? others.whenClockUnset,
            alarmsIgnoreSilence: alarmsIgnoreSilence ?? others.alarmsIgnoreSilence,
            alarmVolume: alarmVolume ?? others.alarmVolume,
            announcementVolume: announcementVolume ?? others.announcementVolume,
            mediaVolume: mediaVolume ?? others.mediaVolume, callVolume: callVolume ?? others.callVolume,
            duckingDepth: duckingDepth ?? others.duckingDepth,
            duckingDown: duckingDown.map { .milliseconds($0) } ?? others.duckingDown,
            duckingUp: duckingUp.map { .milliseconds($0) } ?? others.duckingUp,
            alertsDuringCall: alertsDuringCall ?? others.alertsDuringCall)
    }
}
