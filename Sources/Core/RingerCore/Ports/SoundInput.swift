/// The device's sound inputs, whose formats sessions report. Ringer records nothing.
///
/// On Linux the first capture PCM, and those of Bluetooth devices; in a test, one that the test sets.
public protocol SoundInput: Sendable {
    /// The input's name, for people: "capture PCM".
    var name: String { get }

    /// Finds out the format that an input grants for these preferences, and calls `completion` with it once, possibly
    /// on another thread or from within this call.
    ///
    /// - Parameters:
    ///   - preferences: The preferred sample rate and buffer duration.
    ///   - pcm: The capture PCM of a Bluetooth device, as ALSA names it; nil for the microphone.
    func ask(
        _ preferences: SessionPreferences, pcm: String?,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void)
}
