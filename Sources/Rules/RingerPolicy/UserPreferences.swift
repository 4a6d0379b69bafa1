/// The user's preferences, which the firmware sets.
public struct UserPreferences: Sendable, Hashable {
    /// Whether an alert that is heard also vibrates.
    public var vibrateOnRing: Bool
    /// Whether an alert vibrates while the switch is at silent. At ``SwitchPosition/vibrate`` it always does.
    public var vibrateOnSilent: Bool
    /// Whether user-interface sounds are played.
    public var soundEffects: Bool
    /// The volume of alerts and notification sounds, clamped to 0...1.
    public var alertVolume: Float
    /// Whether alerts vibrate while a session records. One that a call has felt instead of heard vibrates all the same.
    public var hapticsWhileRecording: Bool
    /// Whether alerts and notification sounds are suppressed, except critical ones.
    public var doNotDisturb: Bool
    /// The routes on which the switch silences sound: by default the built-in ones, since headphones disturb nobody.
    public var routesSilencedBySwitch: AudioRouteSet
    /// The position that counts while there is a switch that cannot be read (``DeviceState/isSwitchUnreadable``). With
    /// silent, the default, a process without permission to read the switch makes no sound in a silent room.
    public var whenSwitchUnreadable: SwitchPosition
    /// The times of the week in which the device is quiet: ``DeviceState/quietHours``.
    public var quietHours: QuietHours
    /// What the quiet hours ask for: silent, or vibrate.
    public var quietHoursPosition: SwitchPosition
    /// What counts while there are ``quietHours`` and the wall clock was never set. With silent, the default, a device whose battery
    /// was empty makes no sound at night.
    public var whenClockUnset: SwitchPosition
    /// Whether alarms, and sessions of an alarm's priority, are heard though the switch, do-not-disturb, the screen's lock or a
    /// session that silences playback would silence them. Alarms are felt as well, then.
    public var alarmsIgnoreSilence: Bool
    /// The volume of alarms, clamped to 0...1. Above 0 it counts as ``lowestAlarmVolume`` at least; at 0 alarms are not heard.
    public var alarmVolume: Float
    /// The volume of announcements, clamped to 0...1: of those that have none of their own.
    public var announcementVolume: Float
    /// The volume of media, clamped to 0...1: of the sounds of sessions that are no call, no alarm and no announcement.
    public var mediaVolume: Float
    /// The volume of calls, clamped to 0...1: of the sounds of sessions of ``AudioCategory/playAndRecord``.
    public var callVolume: Float
    /// How much more quietly a session's sounds are heard while another session ducks it, in decibels, clamped to 0...50. At 50
    /// they are silent.
    public var duckingDepth: Float
    /// How long the gain takes to fall by ``duckingDepth``, clamped to 0...2 s.
    public var duckingDown: Duration
    /// How long it takes to rise again, clamped to 0...2 s.
    public var duckingUp: Duration
    /// What becomes of alerts and notification sounds while a call is on.
    public var alertsDuringCall: AlertsDuringCall

    /// The least volume of alarms that are heard: 0.1.
    public static let lowestAlarmVolume: Float = 0.1

    /// By default the preferences of a new phone.
    public init(
        vibrateOnRing: Bool = true, vibrateOnSilent: Bool = true, soundEffects: Bool = true, alertVolume: Float = 1,
        hapticsWhileRecording: Bool = false, doNotDisturb: Bool = false,
        routesSilencedBySwitch: AudioRouteSet = .builtIn, whenSwitchUnreadable: SwitchPosition = .silent,
        quietHours: QuietHours = QuietHours(), quietHoursPosition: SwitchPosition = .silent,
        whenClockUnset: SwitchPosition = .silent,
        alarmsIgnoreSilence: Bool = true, alarmVolume: Float = 1,
        announcementVolume: Float = 1, mediaVolume: Float = 1, callVolume: Float = 1,
        duckingDepth: Float = 14, duckingDown: Duration = .milliseconds(20), duckingUp: Duration = .milliseconds(20),
        alertsDuringCall: AlertsDuringCall = .automatic
    ) {
        self.vibrateOnRing = vibrateOnRing
        self.vibrateOnSilent = vibrateOnSilent
        self.soundEffects = soundEffects
        self.alertVolume = alertVolume
        self.hapticsWhileRecording = hapticsWhileRecording
        self.doNotDisturb = doNotDisturb
        self.routesSilencedBySwitch = routesSilencedBySwitch
        self.whenSwitchUnreadable = whenSwitchUnreadable
        self.quietHours = quietHours
        self.quietHoursPosition = quietHoursPosition
        self.whenClockUnset = whenClockUnset
        self.alarmsIgnoreSilence = alarmsIgnoreSilence
        self.alarmVolume = alarmVolume
        self.announcementVolume = announcementVolume
        self.mediaVolume = mediaVolume
        self.callVolume = callVolume
        self.duckingDepth = duckingDepth
        self.duckingDown = duckingDown
        self.duckingUp = duckingUp
        self.alertsDuringCall = alertsDuringCall
    }
}

// Embedded Swift has no key paths; programs for microcontrollers set the fields above.
#if !hasFeature(Embedded)
/// A preference in the table of all of them: its name and its value's type. The bus, the file of ringerd, scripts and
/// options read and write preferences by this table.
package struct UserPreference: Sendable, Hashable {
    /// Where the value is, by its type.
    package enum Value: Sendable, Hashable {
        case flag(WritableKeyPath<UserPreferences, Bool> & Sendable)
        /// A number, 0 to 1.
        case fraction(WritableKeyPath<UserPreferences, Float> & Sendable)
        case routes(WritableKeyPath<UserPreferences, AudioRouteSet> & Sendable)
        case position(WritableKeyPath<UserPreferences, SwitchPosition> & Sendable)
        case quietHours(WritableKeyPath<UserPreferences, QuietHours> & Sendable)
        /// Decibels, in ``UserPreferences/duckingDepths``.
        case decibels(WritableKeyPath<UserPreferences, Float> & Sendable)
        /// Whole milliseconds, up to ``UserPreferences/longestDucking``.
        case milliseconds(WritableKeyPath<UserPreferences, Duration> & Sendable)
        case alertsDuringCall(WritableKeyPath<UserPreferences, AlertsDuringCall> & Sendable)
    }

    /// The name in D-Bus and JSON, such as `vibrateOnRing`.
    package let name: String
    package let value: Value

    private init(_ name: String, _ value: Value) {
        (self.name, self.value) = (name, value)
    }

    /// All preferences.
    package static let all = [
        UserPreference("vibrateOnRing", .flag(\.vibrateOnRing)),
        UserPreference("vibrateOnSilent", .flag(\.vibrateOnSilent)),
        UserPreference("soundEffects", .flag(\.soundEffects)),
        UserPreference("alertVolume", .fraction(\.alertVolume)),
        UserPreference("hapticsWhileRecording", .flag(\.hapticsWhileRecording)),
        UserPreference("doNotDisturb", .flag(\.doNotDisturb)),
        UserPreference("routesSilencedBySwitch", .routes(\.routesSilencedBySwitch)),
        UserPreference("whenSwitchUnreadable", .position(\.whenSwitchUnreadable)),
        UserPreference("quietHours", .quietHours(\.quietHours)),
        UserPreference("quietHoursPosition", .position(\.quietHoursPosition)),
        UserPreference("whenClockUnset", .position(\.whenClockUnset)),
        UserPreference("alarmsIgnoreSilence", .flag(\.alarmsIgnoreSilence)),
        UserPreference("alarmVolume", .fraction(\.alarmVolume)),
        UserPreference("announcementVolume", .fraction(\.announcementVolume)),
        UserPreference("mediaVolume", .fraction(\.mediaVolume)),
        UserPreference("callVolume", .fraction(\.callVolume)),
        UserPreference("duckingDepth", .decibels(\.duckingDepth)),
        UserPreference("duckingDown", .milliseconds(\.duckingDown)),
        UserPreference("duckingUp", .milliseconds(\.duckingUp)),
        UserPreference("alertsDuringCall", .alertsDuringCall(\.alertsDuringCall)),
    ]

    /// The name in files, scripts and options, such as `vibrate-on-ring`.
    package var hyphenated: String {
        String(
            decoding: name.utf8.flatMap { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? [UInt8(ascii: "-"), byte | 0x20] : [byte]
            }, as: UTF8.self)
    }
}
#endif
