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
    /// Whether alerts vibrate while a session records.
    public var hapticsWhileRecording: Bool
    /// Whether alerts and notification sounds are suppressed, except critical ones.
    public var doNotDisturb: Bool
    /// The routes on which the switch silences sound: by default the built-in ones, since headphones disturb nobody.
    public var routesSilencedBySwitch: AudioRouteSet
    /// The position that counts while there is a switch that cannot be read (``DeviceState/isSwitchUnreadable``). With
    /// silent, the default, a process without permission to read the switch makes no sound in a silent room.
    public var whenSwitchUnreadable: SwitchPosition

    /// By default the preferences of a new phone.
    public init(
        vibrateOnRing: Bool = true, vibrateOnSilent: Bool = true, soundEffects: Bool = true, alertVolume: Float = 1,
        hapticsWhileRecording: Bool = false, doNotDisturb: Bool = false,
        routesSilencedBySwitch: AudioRouteSet = .builtIn, whenSwitchUnreadable: SwitchPosition = .silent
    ) {
        self.vibrateOnRing = vibrateOnRing
        self.vibrateOnSilent = vibrateOnSilent
        self.soundEffects = soundEffects
        self.alertVolume = alertVolume
        self.hapticsWhileRecording = hapticsWhileRecording
        self.doNotDisturb = doNotDisturb
        self.routesSilencedBySwitch = routesSilencedBySwitch
        self.whenSwitchUnreadable = whenSwitchUnreadable
    }
}
