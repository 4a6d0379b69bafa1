/// Something that happened on the device, for whoever wants to see it: nothing is lost silently.
///
/// A move of the switch takes no memory of its own: between the edge and the firmware, that counts.
@nonexhaustive
public enum DeviceEvent: Sendable, Hashable {
    /// The Ring/Silent switch stands at a position: first the initial one, then each change, none left out.
    case switchMoved(SwitchPosition, source: String, at: MonotonicTime)
    /// The kernel dropped edges of the switch; its position was read again.
    indirect case switchEdgesDropped(count: Int?, source: String, at: MonotonicTime)
    /// The switch is gone. The last position stays in force. A switch that was never read is a ``degraded(_:at:)``.
    indirect case switchLost(RingerError, source: String, at: MonotonicTime)
    /// The switch is back.
    indirect case switchFound(source: String, at: MonotonicTime)
    /// Something else of the device's state changed.
    indirect case stateChanged(DeviceStateChange, source: String, at: MonotonicTime)
    /// What to do with a sound was decided, or decided anew while it plays.
    indirect case decided(Decision, SoundRequest, sound: UInt64, at: MonotonicTime)
    /// What happens to a sound that was handed to the output.
    indirect case playback(PlaybackEvent, sound: UInt64)
    /// A sound is over.
    indirect case soundEnded(SoundOutcome, sound: UInt64, at: MonotonicTime)
    /// Another sound than the one that was asked for takes its place.
    indirect case fallback(SoundFallback, sound: UInt64, at: MonotonicTime)
    /// Something happened to an audio session.
    indirect case session(SessionEvent, session: SessionID, name: String, at: MonotonicTime)
    /// The sound of the device that belongs to no session goes elsewhere now.
    indirect case routeChanged(RouteChange, at: MonotonicTime)
    /// What the motor does.
    indirect case vibration(VibrationReport)
    /// The mute detector's finding and the switch do not agree: an amplifier left muted, a PCM routed to nothing.
    indirect case detectorDisagrees(MuteReading, SwitchPosition, at: MonotonicTime)
    /// A part of the device is missing or cannot be used: the switch cannot be read, a port could not be opened, a thread
    /// does not run with the requested priority. The error's detail says what mends it, where that is known.
    indirect case degraded(RingerError, at: MonotonicTime)
}
