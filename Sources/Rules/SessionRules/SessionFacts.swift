/// Everything that a session's properties report, at one moment.
package struct SessionFacts: Sendable, Hashable {
    /// Category, options and overrides.
    package var settings: SessionSettings
    /// The sample rate and buffer duration that the session prefers.
    package var preferences: SessionPreferences
    /// The route's name: empty while the Ring/Silent switch silences the session.
    package var routeName: String
    /// Whether another session, or a process that has no session here, plays.
    package var isOtherAudioPlaying: Bool
    /// The hardware.
    package var hardware: HardwareFigures

    /// Facts, by default those of a new session before the device reported anything.
    package init(
        settings: SessionSettings = SessionSettings(), preferences: SessionPreferences = SessionPreferences(),
        routeName: String = "", isOtherAudioPlaying: Bool = false, hardware: HardwareFigures = HardwareFigures()
    ) {
        self.settings = settings
        self.preferences = preferences
        self.routeName = routeName
        self.isOtherAudioPlaying = isOtherAudioPlaying
        self.hardware = hardware
    }

    /// The output volume, 0 to 1; 1 without a mixer.
    package var outputVolume: Float { hardware.outputVolume ?? 1 }
    /// Whether sound can be recorded; true if it is not known.
    package var isInputAvailable: Bool { hardware.isInputAvailable ?? true }
}
