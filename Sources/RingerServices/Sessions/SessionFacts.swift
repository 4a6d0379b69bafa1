/// Everything that a session's properties tell, as it is now.
public struct SessionFacts: Sendable, Hashable {
    /// Category, options and overrides.
    public var settings: SessionSettings
    /// The route's name: empty while the Ring/Silent switch silences the session.
    public var routeName: String
    /// Whether another session, or a process that knows of no sessions, plays.
    public var isOtherAudioPlaying: Bool
    /// The hardware.
    public var hardware: SessionHardware

    /// Facts, by default those of a session that was just made on a device that tells nothing.
    public init(
        settings: SessionSettings = SessionSettings(), routeName: String = "", isOtherAudioPlaying: Bool = false,
        hardware: SessionHardware = SessionHardware()
    ) {
        self.settings = settings
        self.routeName = routeName
        self.isOtherAudioPlaying = isOtherAudioPlaying
        self.hardware = hardware
    }
}

extension SessionCoordinator {
    /// The facts of session `id`; nil where there is no such session.
    public func facts(
        for id: SessionID, hardware: SessionHardware, state: DeviceState,
        preferences: UserPreferences = UserPreferences()
    ) -> SessionFacts? {
        guard let session = session(id) else { return nil }
        return SessionFacts(
            settings: session.settings, routeName: routeName(id, state: state, preferences: preferences),
            isOtherAudioPlaying: isOtherAudioPlaying(beside: id), hardware: hardware)
    }
}
