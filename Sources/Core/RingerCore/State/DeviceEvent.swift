/// An event of the device. Everything that happens is reported.
///
/// A move of the switch needs no allocation: between the edge and the firmware every step counts.
@nonexhaustive
public enum DeviceEvent: Sendable, Hashable {
    /// The Ring/Silent switch is at a position: first the initial one, then each change, without gaps.
    case switchMoved(SwitchPosition, source: String, at: MonotonicTime)
    /// The kernel dropped edges of the switch; its position was read again.
    indirect case switchEdgesDropped(count: Int?, source: String, at: MonotonicTime)
    /// The switch is gone. The last position stays in force. A switch that was never read is a ``degraded(_:at:)``.
    indirect case switchLost(RingerError, source: String, at: MonotonicTime)
    /// The switch is back.
    indirect case switchFound(source: String, at: MonotonicTime)
    /// Another part of the device's state changed.
    indirect case stateChanged(DeviceStateChange, source: String, at: MonotonicTime)
    /// A key was pressed or released, at the kernel's timestamp.
    indirect case key(DeviceKey, isPressed: Bool, at: MonotonicTime)
    /// The policy decided about a sound, before or while it plays.
    indirect case decided(Decision, SoundRequest, sound: UInt64, at: MonotonicTime)
    /// An event of a sound that was handed to the output.
    indirect case playback(PlaybackEvent, sound: UInt64)
    /// A sound is over.
    indirect case soundEnded(SoundOutcome, sound: UInt64, at: MonotonicTime)
    /// Another sound is played instead of the requested one.
    indirect case fallback(SoundFallback, sound: UInt64, at: MonotonicTime)
    /// Something happened to an audio session.
    indirect case session(SessionEvent, session: SessionID, name: String, at: MonotonicTime)
    /// The route changed of the device's sound that belongs to no session.
    indirect case routeChanged(RouteChange, at: MonotonicTime)
    /// The user's preferences are others now.
    indirect case preferencesChanged(UserPreferences, at: MonotonicTime)
    /// What the motor does.
    indirect case vibration(VibrationReport)
    /// The mute detector contradicts the switch: an amplifier was left muted, or a PCM leads nowhere.
    indirect case detectorDisagrees(MuteReading, SwitchPosition, at: MonotonicTime)
    /// A part of the device is missing or cannot be used: the switch cannot be read, a port could not be opened, a
    /// thread lacks the requested priority. The error's detail gives the repair, if it is known.
    indirect case degraded(RingerError, at: MonotonicTime)
}
