/// The family of device whose predefined sound is requested: players have files of their own for a few sounds.
public enum DeviceVariant: String, Sendable, Hashable, CaseIterable {
    /// A device with a loudspeaker for music and speech.
    case phone
    /// A device with no more than a beeper, whose clicks and alarms sound square.
    case player
}
