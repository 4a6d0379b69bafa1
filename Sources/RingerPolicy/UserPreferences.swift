/// What the user chose, as the firmware sets it.
public struct UserPreferences: Sendable, Hashable {
    /// Whether an alert that is heard also vibrates.
    public var vibrateOnRing: Bool
    /// Whether an alert vibrates while the switch is at silent. At ``SwitchPosition/vibrate`` it always does.
    public var vibrateOnSilent: Bool
    /// Whether user-interface sounds are played.
    public var soundEffects: Bool
    /// The volume of alerts and notification sounds, 0 to 1; values outside are held at the limits.
    public var alertVolume: Float
    /// Whether alerts vibrate while a session records.
    public var hapticsWhileRecording: Bool
    /// Whether alerts and notification sounds are held back. Critical ones are not.
    public var doNotDisturb: Bool
    /// The routes on which the switch silences sound. A headphone disturbs nobody, so by default only the built-in ones.
    public var routesSilencedBySwitch: AudioRouteSet
    /// The position that counts while a switch is there and cannot be read, ``DeviceState/isSwitchUnreadable``. At silent,
    /// the default, a process without permission to read the switch does not sound in a silent room.
    public var whenSwitchUnreadable: SwitchPosition

    /// Preferences, by default those of a new phone.
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
