/// A key of the device, for what its user asks of sounds.
///
/// On Linux a key of an input device that is no keyboard, such as `gpio-keys`. A port of keys is a ``DeviceStateSource``
/// that reports ``DeviceStateChange/key(_:isPressed:at:)``.
public enum DeviceKey: String, Sendable, Hashable, CaseIterable {
    /// Repeat the last announcement: `KEY_AGAIN`.
    case repeatAnnouncement = "repeat"
    /// Silence the ring without refusing the call: `KEY_MUTE`.
    case silenceRing = "silence"
    /// Make what is heard louder: `KEY_VOLUMEUP`. The device does it by itself.
    case volumeUp
    /// Make what is heard softer: `KEY_VOLUMEDOWN`. The device does it by itself.
    case volumeDown
}
