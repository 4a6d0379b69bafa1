/// The microphone, as far as sessions tell of it.
///
/// On Linux the first capture PCM; in a test, one that the test sets. Ringer records nothing.
public protocol SoundInput: Sendable {
    /// What the input is, for people: "capture PCM".
    var name: String { get }

    /// Asks what the input grants to one who has these preferences, and calls `completion` with it, once.
    ///
    /// It may be called on another thread, and from within this call.
    func ask(
        _ preferences: SessionPreferences,
        completion: @escaping @Sendable (Result<SoundPortFormat, RingerError>) -> Void)
}
