import SessionRules

/// A device that other processes share: a service that owns the hardware plays, vibrates and arbitrates for this process
/// too, and judges by its own state and preferences.
///
/// With one, this process's own rules give way: its sessions are arbitrated there, its vibrations run there, and the mute
/// detector measures there. Sounds reach it through its ``SoundOutput``.
package protocol DeviceService: Sendable {
    /// The preferences in force there.
    var preferences: UserPreferences { get }

    /// Sets the preferences there. `completion` is called once, when the service has kept them, or with why it has not.
    func setPreferences(_ preferences: UserPreferences, completion: @escaping @Sendable (RingerError?) -> Void)

    /// Sets whether the screen is locked.
    func setScreenLocked(_ isLocked: Bool)

    /// Sets the kept position, and when it ends, in seconds of UTC since 1970, nil where it does not; a position of nil changes
    /// between ring and silent. `completion` is called once, when the service has kept it, or with why it has not.
    func setPosition(
        _ position: SwitchPosition?, until: Int64?, completion: @escaping @Sendable (RingerError?) -> Void)

    /// Sets the handlers of what the service reports: changed preferences, what became of a session of this process, and the
    /// activity of the sessions of all processes, at once and when it changes. They are called on the service's own thread.
    func follow(
        preferences: @escaping @Sendable (UserPreferences) -> Void,
        sessions: @escaping @Sendable (SessionID, SessionVerdict) -> Void,
        activity: @escaping @Sendable (SessionActivity) -> Void)

    /// Makes the session there at the first call, and tells the service about changed settings at later ones.
    func update(_ session: SessionState)

    /// Removes the session. Its sounds stop, and others may resume.
    func remove(_ session: SessionID)

    /// Activates the session. `completion` is called once, with why that was refused; nil if it is active.
    func activate(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void)

    /// Calls `completion` once, with why the session, which was activated, is not active now; nil if it is.
    func confirmActive(_ session: SessionID, completion: @escaping @Sendable (SessionError?) -> Void)

    /// Deactivates the session. `completion` is called once its sounds have stopped.
    func deactivate(_ session: SessionID, notifyOthers: Bool, completion: @escaping @Sendable () -> Void)

    /// Begins a vibration. `completion` is called once, with how it ended.
    func vibrate(
        _ vibration: UInt64, _ pattern: VibrationPattern, completion: @escaping @Sendable (SoundOutcome) -> Void)

    /// Stops a vibration; nil for all that this process began.
    func stopVibration(_ vibration: UInt64?)

    /// Measures whether system sounds are heard. `completion` is called once.
    func measure(completion: @escaping @Sendable (MuteReading) -> Void)
}
