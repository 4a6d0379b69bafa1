/// The inputs of the device, whose figures sessions report. Ringer records nothing.
///
/// On Linux the first capture PCM, and those of Bluetooth devices; in a test, one that the test sets.
public protocol SoundInput: Sendable {
    /// What the input is, for people: "capture PCM".
    var name: String { get }

    /// Asks what an input grants under these preferences, and calls `completion` with it, once.
    ///
    /// `completion` may be called on another thread, and from within this call.
    ///
    /// - Parameters:
    ///   - preferences: The preferred sample rate and buffer duration.
    ///   - pcm: The capture PCM of a Bluetooth device, as ALSA names it; nil for the microphone.
    func ask(
        _ preferences: SessionPreferences, pcm: String?,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void)
}
