/// Which family of device a predefined sound is asked for: a few have a file of their own on players.
public enum DeviceVariant: String, Sendable, Hashable, CaseIterable {
    /// A device with a loudspeaker for music and speech.
    case phone
    /// A device with no more than a beeper, whose clicks and alarms sound square.
    case player
}
