/// What a session does to the sound of others, as its category, options and overrides say together.
public enum SessionMixing: Int, Sendable, Hashable, CaseIterable {
    /// It plays alone among those that do not mix.
    case exclusive
    /// Like ``exclusive``, and nothing at all is heard meanwhile: ``AudioCategory/record`` and
    /// ``AudioCategory/audioProcessing``.
    case silencing
    /// It plays beside others.
    case mixing
    /// It plays beside others, which go down.
    case ducking

    /// Whether other audio may go on beside it.
    public var mixes: Bool { self == .mixing || self == .ducking }
}
